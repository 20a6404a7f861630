// Threat model: T216, T217, T297, T357

import { contracts, type ProblemCode, problemCodes } from '@ambit/api';
import { SkillError } from '@ambit/core';
import { isCallEvent } from '@ambit/core/audit';
import { skillErrorCodes } from '@ambit/core/outcome';
import type { InjectOptions } from 'fastify';
import { describe, expect, test } from 'vitest';
import { Refusal } from '../errors/refusal.ts';
import { withoutNextRequest } from '../wire/next-requests.ts';
import type { AppDeps } from './route/app-deps.ts';
import {
  authorization,
  bodyLimitBytes,
  type HttpWorldOptions,
  httpWorld,
  key,
  logFull,
  skillOf,
} from './testing/http-world.ts';

/** A request that is refused with a code. */
interface Case {
  world?: HttpWorldOptions;
  /** Absent: a call of `counter`. */
  send?: InjectOptions;
  stopped?: true;
  detail: string | RegExp;
  /** The place of the request's one mistake, whose message is the detail. */
  at?: string;
  /** Other fields of the problem. */
  extra?:
    | { issues: unknown }
    | { denials: unknown }
    | { originalExecutionId: string }
    | { retryAfterSeconds: number };
  headers?: Record<string, string>;
  /** The kinds of the events that it leaves, which make one record. Absent: it leaves one as `leftBy` says. */
  leaves?: string[];
}

const bare = { host: 'localhost:7433' };
const withKey = { ...bare, authorization };

function call(body: unknown, skill = 'counter'): InjectOptions {
  return { method: 'POST', url: `/skills/${skill}/execute`, headers: withKey, payload: body as object };
}

function raw(payload: string | Buffer, headers: Record<string, string> = {}): InjectOptions {
  return {
    ...call(undefined),
    headers: { ...withKey, 'content-type': 'application/json', ...headers },
    payload,
  };
}

const issue = { at: '/csv', keyword: 'type', message: 'must be a string' };

const networkDenial = {
  capability: 'network',
  requested: 'a.example',
  reason: 'is not granted',
  remedy: 'grants: { web: { network: [a.example] } }',
};

const workspaceTool =
  'run: { runtime: process, entry: a.py, capabilities: { filesystem: { write: [workspace] } } }';

/** Another node of the cluster, whose lease ends in four seconds. */
const otherNode = {
  id: 2,
  name: 'b',
  advertise: '127.0.0.1:7434',
  state: 'active' as const,
  version: '1.2.3',
  epoch: 1,
  instance: null,
  unreachable: '[]',
  leaseUntil: 5000,
  joinedAt: 0,
  now: 1000,
};
/** A cluster with that node, as another node sees it. */
function clusterOf(pass: NonNullable<AppDeps['cluster']>['pass']): NonNullable<AppDeps['cluster']> {
  return {
    identity: { name: 'a' },
    nodes: () => [otherNode],
    nodeOf: () => otherNode,
    ownerOf: () => otherNode,
    pass,
    requireLease: () => undefined,
    rightsOf: () => ({ status: 'wrong' }),
    unshipped: () => ({ unshippedEvents: 0, shippingLagMs: 0 }),
    ended: new AbortController().signal,
  };
}

/** The listener of a daemon on demand. */
const openListener: NonNullable<AppDeps['consoleListener']> = {
  open: async () => 'http://localhost:7433',
  closed: async () => undefined,
  end: async () => undefined,
};

/** A daemon that was a node until it was retired. */
const retiredNode = {
  ...clusterOf(() => Promise.reject(new Error('not asked'))),
  ended: AbortSignal.abort(new Error('the node a was retired and cannot return')),
};

/** A call that the executor refuses with `error`; the causes have their own tests. */
function refusedRun(error: SkillError): Case {
  return { world: { execute: () => Promise.reject(error) }, detail: error.message };
}

/** A call with a key that the executor refuses with `error`; the causes have their own tests. */
function keyed(error: Refusal | SkillError): Case {
  const { originalExecutionId } = error.details as { originalExecutionId?: string };
  return {
    world: { idempotency: { claim: () => Promise.reject(error), sweep: async () => undefined } },
    send: { ...call({ input: 1 }), headers: { ...withKey, 'idempotency-key': '"a"' } },
    detail: 'why',
    leaves: ['request.denied'],
    ...(originalExecutionId === undefined ? {} : { extra: { originalExecutionId } }),
  };
}

function get(url: string): InjectOptions {
  return { url, headers: withKey };
}

function post(url: string, payload: object): InjectOptions {
  return { method: 'POST', url, headers: withKey, payload };
}

function refusing(code: ProblemCode): () => Promise<never> {
  return async () => {
    throw new Refusal(code, 'why');
  };
}

/** A source that the installer refuses with `code`; the causes have their own tests. */
function refusedSource(code: ProblemCode): Case {
  return {
    world: { installs: { add: refusing(code) } },
    send: post('/installs', { source: 'acme/skills' }),
    detail: 'why',
  };
}

function refusedApproval(code: ProblemCode): Case {
  return {
    world: { installs: { approve: refusing(code) } },
    send: post('/installs/docx/approve', { digest: 'sha256:d' }),
    detail: 'why',
  };
}

function refusedPackages(code: ProblemCode): Case {
  return {
    world: { installs: { lockPackages: refusing(code) } },
    send: post('/installs/docx/packages', {}),
    detail: 'why',
  };
}

const cases = {
  SKILL_NOT_FOUND: [
    { send: call({ input: 1 }, 'none'), detail: /^skill "none" does not exist; GET \/skills/ },
    {
      world: { skills: [skillOf('keeper', workspaceTool)] },
      send: call({ input: 1 }, 'keepr'),
      detail:
        'skill "keepr" does not exist; did you mean keeper? GET /skills lists the skills that this key can see',
    },
    // The id of a skill that the key may not see is not suggested.
    {
      world: {
        skills: [skillOf('keeper', workspaceTool)],
        rights: { scopes: ['skills:execute', 'skills:read'], skills: new Set(['counter']) },
      },
      send: call({ input: 1 }, 'keepr'),
      detail: 'skill "keepr" does not exist; GET /skills lists the skills that this key can see',
    },
    { send: get('/skills/none'), detail: /^skill "none" does not exist; GET \/skills/ },
  ],
  SKILL_AMBIGUOUS: [
    {
      world: { skills: [skillOf('acme:twin', ''), skillOf('other:twin', '')] },
      send: call({ input: 1 }, 'twin'),
      detail: 'acme:twin, other:twin have this name; use one of these ids',
    },
    {
      world: { skills: [skillOf('acme:twin', ''), skillOf('other:twin', '')] },
      send: get('/skills/twin'),
      detail: 'acme:twin, other:twin have this name; use one of these ids',
    },
  ],
  SKILL_NOT_EXECUTABLE: [
    { world: { skills: [skillOf('counter', '')] }, detail: /^counter is a prompt skill/ },
  ],
  SKILL_INVALID: [
    {
      world: { broken: [{ id: 'bent', root: '/skills/bent', problem: 'no description' }] },
      send: call({ input: 1 }, 'bent'),
      detail: 'bent cannot be used: no description',
    },
    {
      world: { broken: [{ id: 'bent', root: '/skills/bent', problem: 'no description' }] },
      send: get('/skills/bent'),
      detail: 'bent cannot be used: no description',
    },
  ],
  INPUT_INVALID: [
    {
      world: {
        skills: [skillOf('counter', 'run: { runtime: wasm, entry: a.wasm, input: { type: object } }')],
        schemaIssues: [issue],
      },
      send: call({ input: { csv: 7 } }),
      detail: 'invalid input for counter: /csv: must be a string',
      extra: { issues: [issue] },
    },
    { send: call({}), detail: /^counter needs an "input"/ },
    { send: { ...call(undefined), payload: '' }, detail: /^counter needs an "input"/ },
  ],
  CAPABILITY_DENIED: [
    {
      world: {
        skills: [
          skillOf('web', 'run: { runtime: wasm, entry: a.wasm, capabilities: { network: [a.example] } }'),
        ],
      },
      send: call({ input: 1 }, 'web'),
      detail: `web needs network a.example, which is not granted. Add to ambit.config.yaml: ${networkDenial.remedy}`,
      extra: { denials: [networkDenial] },
    },
  ],
  CAPABILITY_UNSUPPORTED: [
    {
      world: {
        skills: [skillOf('counter', 'run: { runtime: wasm, entry: a.wasm, capabilities: { state: write } }')],
      },
      detail: /^counter needs state, which runtime wasm does not support yet/,
    },
  ],
  SANDBOX_UNAVAILABLE: [
    refusedRun(new SkillError('SANDBOX_UNAVAILABLE', 'bwrap did not start', { cause: 'why' })),
  ],
  MEMORY_SHARE_EXCEEDED: [refusedRun(new SkillError('MEMORY_SHARE_EXCEEDED', 'counter needs 4 GiB'))],
  PROGRAM_MISSING: [refusedRun(new SkillError('PROGRAM_MISSING', 'counter needs ruby'))],
  SKILL_CHANGED: [
    {
      // Listed, but missing on disk.
      send: get('/skills/counter/files/SKILL.md'),
      detail: 'SKILL.md changed after the skill was read; request it again',
    },
  ],
  LOCK_MISMATCH: [
    {
      world: {
        broken: [{ id: 'acme:docx', root: '/r', code: 'LOCK_MISMATCH', problem: 'its files differ' }],
      },
      send: call({ input: 1 }, 'acme:docx'),
      detail: 'acme:docx cannot be used: its files differ',
    },
  ],
  SKILL_REVOKED: [
    {
      world: { broken: [{ id: 'acme:docx', root: '/r', code: 'SKILL_REVOKED', problem: 'it was revoked' }] },
      send: call({ input: 1 }, 'docx'),
      detail: 'acme:docx cannot be used: it was revoked',
    },
  ],
  SECRET_UNAVAILABLE: [refusedRun(new SkillError('SECRET_UNAVAILABLE', 'the secret A is unavailable'))],
  WORKSPACE_NOT_FOUND: [
    {
      send: get('/workspaces/none'),
      detail:
        /^workspace "none" does not exist, has expired or belongs to another key; GET \/workspaces lists/,
    },
    {
      world: { skills: [skillOf('keeper', workspaceTool)], enforces: ['filesystem.write'] },
      send: call({ input: 1, workspace: 'none' }, 'keeper'),
      detail: /^workspace "none" does not exist, has expired/,
    },
  ],
  WORKSPACE_FILE_NOT_FOUND: [
    { send: get('/workspaces/w1/files/none'), detail: 'workspace w1 has no file "none"; list its files' },
  ],
  // This needs waiting calls: workspaces.test.ts.
  WORKSPACE_BUSY: [],
  WORKSPACE_FULL: [
    {
      send: {
        method: 'PUT',
        url: '/workspaces/w1/files/b',
        payload: Buffer.alloc(98),
        headers: { ...withKey, 'content-type': 'application/octet-stream' },
      },
      detail: /^the workspace is full: it would have 101 bytes; its quota is 100. Delete/,
    },
  ],
  WORKSPACE_LIMIT: [
    {
      world: { workspaces: { countMax: 1 } },
      send: { method: 'POST', url: '/workspaces', headers: withKey, payload: {} },
      detail: 'workspace limit reached: this key has 1; delete one, or raise workspaces.maxPerKey',
    },
  ],
  LEASE_LOST: [
    {
      world: { noLease: new SkillError('LEASE_LOST', 'the node b takes no calls: it is being drained') },
      detail: 'the node b takes no calls: it is being drained',
    },
    {
      world: { cluster: retiredNode },
      send: post('/installs/revoke', { subject: 'publisher:acme' }),
      detail:
        'this daemon is no longer a node of its cluster (the node a was retired and cannot return). Send the request to another node',
    },
  ],
  CONSOLE_UNAVAILABLE: [
    {
      send: { url: '/console/', headers: bare },
      detail: /^the page of the console has not been built; run "npm run build:console"/,
    },
  ],
  SESSION_NOT_FOUND: [
    {
      send: get('/console/session'),
      detail: /^this route is about the session that sends the request, and tester is a key;/,
    },
    {
      send: { method: 'DELETE', url: '/console/sessions/none', headers: withKey },
      detail: 'the console has no open session "none"; GET /console/sessions lists them',
    },
  ],
  CONSOLE_ONLY: [
    ...[withKey, bare, { ...bare, authorization: 'Bearer wrong' }].map(
      (headers): Case => ({
        world: { consoleListener: openListener },
        send: { url: '/skills', headers },
        detail: /^this address is only for sessions of the web console, and accepts no keys: .* ambit serve$/,
      }),
    ),
  ],
  // Needs the private socket: console/on-demand.test.ts.
  ADDRESS_UNAVAILABLE: [],
  SESSION_ELSEWHERE: [
    {
      world: { cluster: clusterOf(() => Promise.reject(new Error('not asked'))) },
      send: {
        url: '/skills',
        headers: { ...bare, cookie: 'ambit-console-7433-id=value', 'ambit-session': 'half' },
      },
      detail: /^another node of the cluster has this session of the console; open the console/,
      leaves: ['auth.rejected'],
    },
  ],
  NODE_UNREACHABLE: [
    {
      world: { cluster: clusterOf(() => Promise.reject(new Error('connect ECONNREFUSED'))) },
      send: get('/executions/e1'),
      detail:
        'the node b, which this request is about, cannot be reached: connect ECONNREFUSED. Try again in 4 s: if it is gone, another node can answer then',
      headers: { 'retry-after': '4' },
      extra: { retryAfterSeconds: 4 },
    },
  ],
  OVERLOADED: [
    {
      world: { queue: { concurrency: 0, queue: 0 } },
      detail: /^queue full: 0 running, 0 waiting/,
      headers: { 'retry-after': '7' },
      extra: { retryAfterSeconds: 7 },
    },
  ],
  AUDIT_UNAVAILABLE: [
    {
      world: {
        append: () => {
          throw logFull;
        },
      },
      detail: 'the disk is full',
      leaves: [],
    },
    {
      world: {
        append: () => {
          throw logFull;
        },
      },
      send: { url: '/skills', headers: bare },
      detail: 'the disk is full',
      leaves: [],
    },
    { world: { page: logFull }, send: get('/audit'), detail: 'the disk is full', leaves: [] },
  ],
  INTERNAL: [
    {
      world: { execute: () => Promise.reject(new TypeError('secret detail')) },
      detail: 'Ambit failed, not the skill; its log has the cause under this execution id',
    },
    {
      world: { page: new TypeError('secret detail') },
      send: get('/audit'),
      detail:
        'Ambit failed because of a bug, not because of the request; its log has the cause under this execution id',
    },
  ],
  // It never becomes a request, so `inject` cannot send it: connections.test.ts covers it.
  INSTALL_NOT_FOUND: [{ send: get('/installs/acme:docx'), detail: 'nothing is installed' }],
  REVIEW_STALE: [refusedApproval('REVIEW_STALE')],
  SIGNATURE_INVALID: [refusedApproval('SIGNATURE_INVALID')],
  TIER_NOT_ALLOWED: [refusedApproval('TIER_NOT_ALLOWED')],
  NAMESPACE_TAKEN: [refusedSource('NAMESPACE_TAKEN')],
  LOCK_INVALID: [
    { world: { installs: { list: refusing('LOCK_INVALID') } }, send: get('/installs'), detail: 'why' },
  ],
  SOURCE_MISSING: [refusedSource('SOURCE_MISSING')],
  SOURCE_UNSUPPORTED: [refusedSource('SOURCE_UNSUPPORTED')],
  SOURCE_UNREACHABLE: [refusedSource('SOURCE_UNREACHABLE')],
  SOURCE_NOT_ALLOWED: [refusedSource('SOURCE_NOT_ALLOWED')],
  SOURCE_DAMAGED: [refusedSource('SOURCE_DAMAGED')],
  SOURCE_UNSAFE_PATH: [refusedSource('SOURCE_UNSAFE_PATH')],
  SOURCE_TOO_LARGE: [refusedSource('SOURCE_TOO_LARGE')],
  DEPENDENCY_UNSUPPORTED: [refusedPackages('DEPENDENCY_UNSUPPORTED')],
  DEPENDENCY_NO_INDEX: [refusedPackages('DEPENDENCY_NO_INDEX')],
  DEPENDENCY_UNRESOLVED: [refusedPackages('DEPENDENCY_UNRESOLVED')],
  DEPENDENCY_NEEDS_BUILD: [refusedPackages('DEPENDENCY_NEEDS_BUILD')],
  REQUEST_UNREADABLE: [],
  HOST_REFUSED: [
    'evil.example',
    'localhost.evil.example',
    'localhost:7433@evil.example',
    '127.0.0.1.evil.example',
    '[::2]',
    '127.0.0.1:65536',
    '10.0.0.1',
    'localhost, evil.example',
  ].map(
    (host): Case => ({
      send: { url: '/healthz', headers: { host } },
      detail: `${JSON.stringify(host)} is not a name of this server; use localhost, 127.0.0.1 or a name in listen.names`,
    }),
  ),
  ORIGIN_REFUSED: [
    'http://evil.example',
    'null',
    'http://localhost:3000',
    'http://localhost:7433.evil.example',
    'file://',
  ].map(
    (origin): Case => ({
      send: { url: '/skills', headers: { ...withKey, origin } },
      detail: `the web origin ${JSON.stringify(origin)} may not call this server; call it from a program, without an Origin header`,
    }),
  ),
  UNAUTHENTICATED: [
    {
      world: { authenticated: { status: 'expired', actor: 'tester', since: '2026-03-01T00:00:00Z' } },
      send: get('/skills'),
      detail: 'the key tester expired on 2026-03-01T00:00:00Z; ask the operator for another',
      headers: { 'www-authenticate': 'Bearer realm="ambit", error="invalid_token"' },
      leaves: ['auth.rejected'],
    },
    {
      world: { authenticated: { status: 'revoked', actor: 'tester', since: '2026-03-01T00:00:00Z' } },
      send: get('/skills'),
      detail: /^the key tester was revoked on 2026-03-01T00:00:00Z;/,
      leaves: ['auth.rejected'],
    },
    {
      send: { url: '/skills', headers: bare },
      detail: /^this route needs a key; send/,
      headers: { 'www-authenticate': 'Bearer realm="ambit"' },
      leaves: ['auth.rejected'],
    },
    {
      send: { url: '/skills', headers: { ...bare, authorization: 'Basic x' } },
      detail: /is malformed; send "Authorization: Bearer KEY"/,
      headers: { 'www-authenticate': 'Bearer realm="ambit", error="invalid_request"' },
      leaves: ['auth.rejected'],
    },
    {
      send: { url: '/skills', headers: { ...bare, authorization: 'Bearer x' } },
      detail: /^unknown API key/,
      headers: { 'www-authenticate': 'Bearer realm="ambit", error="invalid_token"' },
      leaves: ['auth.rejected'],
    },
    {
      send: { url: '/nowhere', headers: bare },
      detail: /^this route needs a key/,
      leaves: ['auth.rejected'],
    },
    { send: { ...raw('{'), headers: bare }, detail: /^this route needs a key/, leaves: ['auth.rejected'] },
  ],
  SHUTTING_DOWN: [
    {
      stopped: true,
      detail: /^Ambit is shutting down/,
      headers: { connection: 'close', 'retry-after': '5' },
      extra: { retryAfterSeconds: 5 },
    },
  ],
  CODE_INVALID: [
    {
      send: { method: 'POST', url: '/console/sessions', headers: bare, payload: { code: 'x' } },
      detail: /^the one-time code is unknown, used, expired or for another purpose; run "ambit console"/,
      headers: { 'www-authenticate': 'Bearer realm="ambit"' },
      leaves: ['auth.rejected'],
    },
  ],
  // Needs a session: console-sessions.test.ts.
  CONFIRMATION_REQUIRED: [],
  SCOPE_MISSING: [
    {
      world: { rights: { scopes: ['skills:read', 'prompt'] } },
      send: raw('not even JSON'),
      detail:
        'POST /skills/counter/execute needs the scope skills:execute; the key tester has skills:read, prompt. Use another key, or ask the operator for one with this scope',
      headers: {
        'www-authenticate': 'Bearer realm="ambit", error="insufficient_scope", scope="skills:execute"',
      },
    },
    {
      world: { rights: { scopes: ['audit:read'], skills: new Set(['counter', 'other']) } },
      send: get('/audit/verify'),
      detail:
        'GET /audit/verify covers the whole log, but the key tester is bound to counter, other; it may read receipts: GET /audit/:executionId/receipt',
    },
    {
      world: { rights: { scopes: ['audit:read'], skills: new Set(['counter', 'other']) } },
      send: get('/audit/stats?skill=third'),
      detail: /the statistics of one of them: add "skill"$/,
    },
  ],
  RATE_LIMITED: [
    {
      world: { authenticated: { status: 'limited', actor: 'tester', retryAfterMs: 1001 } },
      detail: 'the key tester exceeded its rate limit; try again in 2 s',
      headers: { 'retry-after': '2' },
      extra: { retryAfterSeconds: 2 },
    },
  ],
  ROUTE_NOT_FOUND: [
    {
      send: get('/skills/counter/run'),
      detail:
        'GET /skills/counter/run does not exist; available: POST /skills/:id/execute, GET /skills, GET /skills/:id, GET /skills/:id/body, GET /skills/:id/files, GET /skills/:id/files/*, GET /skills/:id/proposal',
    },
    { send: get('/skills/%zz'), detail: /^GET \/skills\/%zz does not exist; available: / },
    {
      send: {
        method: 'POST',
        url: '/nowhere',
        headers: { ...withKey, 'content-type': 'text/plain' },
        payload: 'x'.repeat(2000),
      },
      detail: /^POST \/nowhere does not exist/,
    },
  ],
  FILE_NOT_FOUND: [
    {
      send: get('/skills/counter/files/skill.md'),
      detail: 'counter has no file "skill.md"; GET /skills/counter/files lists its files',
    },
    { send: get('/skills/counter/files/a%2Fb.md'), detail: /separate its parts with \/, not %2F$/ },
  ],
  PRECONDITION_FAILED: [
    {
      send: {
        method: 'DELETE',
        url: '/workspaces/w1/files/a.txt',
        headers: { ...withKey, 'if-match': '"another"' },
      },
      detail:
        /^the file has the ETag "[0-9a-f]{64}", which does not match If-Match: "another"; read the file again/,
    },
  ],
  RECORD_NOT_FOUND: [
    { send: get('/audit/e0/receipt'), detail: /^no receipt for "e0": / },
    {
      send: get('/audit/none'),
      detail: 'the log has no execution "none" that this key may read; GET /audit lists the ones it may',
    },
  ],
  EXECUTION_NOT_FOUND: ['GET', 'DELETE'].map(
    (method): Case => ({
      send: { method: method as 'GET', url: '/executions/none', headers: withKey },
      detail:
        'execution "none" does not exist or belongs to another key; use the executionId of the response that started it',
    }),
  ),
  IDEMPOTENCY_KEY_REUSED: [
    keyed(new Refusal('IDEMPOTENCY_KEY_REUSED', 'why', { details: { originalExecutionId: 'e0' } })),
  ],
  IDEMPOTENCY_INTERRUPTED: [
    keyed(new Refusal('IDEMPOTENCY_INTERRUPTED', 'why', { details: { originalExecutionId: 'e0' } })),
  ],
  STORE_UNAVAILABLE: [
    keyed(new SkillError('STORE_UNAVAILABLE', 'why')),
    {
      world: { authenticated: new SkillError('STORE_UNAVAILABLE', 'the keys are out of date') },
      send: get('/skills'),
      detail: 'the keys are out of date',
    },
  ],
  METHOD_NOT_ALLOWED: [
    {
      send: { method: 'DELETE', url: '/skills', headers: withKey },
      detail: '/skills does not support DELETE; use GET, HEAD',
      headers: { allow: 'GET, HEAD' },
    },
    {
      send: { method: 'GET', url: '/skills/counter/execute', headers: withKey },
      detail: '/skills/counter/execute does not support GET; use POST',
      headers: { allow: 'POST' },
    },
    {
      send: { method: 'OPTIONS', url: '/audit', headers: withKey },
      detail: '/audit does not support OPTIONS; use GET',
      headers: { allow: 'GET' },
    },
  ],
  MEDIA_TYPE_UNSUPPORTED: [
    { send: raw('a=b', { 'content-type': 'text/plain' }), detail: /content-type: application\/json/ },
    { send: raw('{}', { 'content-type': 'nonsense' }), detail: /content-type: application\/json/ },
    {
      send: raw('{}', { 'content-encoding': 'gzip' }),
      detail: 'compressed bodies are not accepted; send the body without "content-encoding: gzip"',
    },
  ],
  BODY_TOO_LARGE: [
    {
      send: call({ input: 'x'.repeat(bodyLimitBytes) }),
      detail: /^the request body exceeds the limit of 1000 bytes/,
      headers: { connection: 'close' },
    },
  ],
  BODY_MALFORMED: [
    { send: raw('{"input": '), detail: 'the body is not valid JSON: unexpected end at line 1, column 11' },
    {
      send: raw('{\n  "input": no\n}'),
      detail: 'the body is not valid JSON: expected a value at line 2, column 12',
    },
    { send: raw(''), detail: /unexpected end at line 1, column 1$/ },
    { send: raw(Buffer.from([0x22, 0xff, 0x22])), detail: 'the body is not UTF-8, which JSON requires' },
    {
      send: raw('{"input":{"__proto__":{"admin":true}}}'),
      detail: /the key "__proto__" is not accepted at line 1, column 11$/,
    },
    { send: raw('{"capabilities":{},"capabilities":{}}'), detail: /a duplicate key at line 1, column 20$/ },
    { send: raw('['.repeat(900)), detail: /more than 200 levels deep at line 1, column 201$/ },
  ],
  REQUEST_INVALID: [
    { send: call({ inputs: 1 }), detail: 'unknown field "inputs" (did you mean input?)', at: '' },
    {
      send: call({ input: 1, capabilities: { filesystem: { reads: [] } }, args: 'x' }),
      detail:
        'args: write a list, not a string; unknown field "reads" in capabilities.filesystem (did you mean read?)',
      extra: {
        issues: [
          { at: '/args', message: 'args: write a list, not a string' },
          {
            at: '/capabilities/filesystem',
            message: 'unknown field "reads" in capabilities.filesystem (did you mean read?)',
          },
        ],
      },
    },
    { send: raw('null'), detail: 'the document: write a mapping, not null', at: '' },
    {
      send: { ...call({ input: 1 }), headers: { ...withKey, 'idempotency-key': '"a' } },
      detail: /^Idempotency-Key must be one string of 1 to 255/,
    },
    {
      send: { ...call({ input: 1 }), headers: { ...withKey, 'idempotency-key': '"a"' } },
      detail: /^idempotency keys are disabled; send the request without Idempotency-Key/,
    },
    { send: get('/executions/e1?wait=61'), detail: 'wait: write a number of seconds, 0 to 60', at: '/wait' },
    {
      send: { url: '/executions/e1/events', headers: { ...withKey, 'last-event-id': 'x' } },
      detail: 'last-event-id: must be the id of an earlier event: a whole number',
      at: '/last-event-id',
    },
    {
      send: call({ args: ['a\0b'] }),
      detail: /NUL/,
      extra: { issues: [{ at: '/args/0', message: 'args.0: an argument cannot contain a NUL character' }] },
    },
    { send: get('/audit?limit=201'), detail: 'limit: a page has at most 200 records', at: '/limit' },
    { send: get('/audit?limit=0'), detail: 'limit: must be an integer of at least 1', at: '/limit' },
    { send: get('/audit?skil=x'), detail: 'unknown field "skil" (did you mean skill?)', at: '' },
    {
      send: get('/audit?since=2026-02-01&until=2026-01-01'),
      detail: 'the document: "until" must be later than "since"',
      at: '',
    },
    {
      send: get('/audit/count?since=yesterday'),
      detail:
        'since: write ISO 8601 (2026-01-31 or 2026-01-31T08:00:00Z), milliseconds since the epoch, or an age (30m, 12h, 7d)',
      at: '/since',
    },
    {
      send: get('/audit/stats?bucketMs=1&since=2026-01-01&until=2026-02-01'),
      detail: 'since: this makes more than 2000 buckets; raise "bucketMs" or shorten the time range',
      at: '/since',
    },
    {
      send: get('/audit/stats?bucketMs=1000000000'),
      detail: 'since: "bucketMs" needs "since"',
      at: '/since',
    },
    {
      send: {
        method: 'POST',
        url: '/installs/a/approve',
        headers: withKey,
        payload: { digest: 'sha256:a', until: '1970-01-01T00:00:00Z' },
      },
      detail: 'until: write a time in the future',
      at: '/until',
    },
    { send: get('/keys?a=1'), detail: 'unknown field "a" (no fields are allowed there)', at: '' },
    { send: get('/skills?q=a&q=b'), detail: 'q: write a string, not a list', at: '/q' },
  ],
} satisfies Record<ProblemCode, readonly Case[]>;

test('has a request for every code, and no other', () => {
  expect(Object.keys(cases).sort()).toEqual(Object.keys(problemCodes).sort());
});

/** A call that core refuses has begun by then. Any other request has not. */
function leftBy(code: string, { url }: InjectOptions): string[] {
  const isOfCore = skillErrorCodes.some((each) => each === code);
  return isOfCore && String(url).endsWith('/execute') ? ['call.started', 'call.denied'] : ['request.denied'];
}

describe.each(Object.entries<readonly Case[]>(cases).filter(([, each]) => each.length > 0))(
  '%s',
  (code, each) => {
    test.each(
      each.map(({ send = call({ input: 1 }), ...one }) => ({
        ...one,
        send,
        claim: `${send.method ?? 'GET'} ${String(send.url)} ${one.detail}`,
      })),
    )(
      '$claim: has its status, says what to do and leaves one record',
      async ({
        world: options = {},
        send,
        stopped,
        detail,
        at,
        extra = at === undefined ? {} : { issues: [{ at, message: detail }] },
        headers = {},
        leaves = leftBy(code, send),
      }) => {
        const { status, title } = problemCodes[code as ProblemCode];
        const world = httpWorld(options);
        if (stopped) world.stop(new Error('the daemon is stopping'));
        const answer = await world.app.inject(send);
        const says = typeof detail === 'string' ? detail : expect.stringMatching(detail);
        expect(answer.json()).toEqual({
          type: `urn:ambit:problem:${code.toLowerCase().replaceAll('_', '-')}`,
          title,
          status,
          detail: says,
          instance: 'urn:uuid:e1',
          code,
          executionId: 'e1',
          ...extra,
        });
        expect(answer.statusCode).toBe(status);
        // The page of the console names the commands that confirm; text for callers says that a person decides.
        if (!['CODE_INVALID', 'CONFIRMATION_REQUIRED'].includes(code))
          expect(answer.body).not.toMatch(
            /ambit (?:skills (?:approve|restore|propose)|trust|grant|key create|console confirm)/,
          );
        expect(answer.headers).toMatchObject({
          'content-type': 'application/problem+json; charset=utf-8',
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
          ...headers,
        });
        expect(world.events.filter(isCallEvent).map(({ kind, executionId }) => [kind, executionId])).toEqual(
          leaves.map((kind) => [kind, 'e1']),
        );
        if (leaves.length > 0)
          expect(world.events.at(-1)).toMatchObject({
            code,
            message: withoutNextRequest(code, answer.json().detail),
          });
        expect(world.lines).toEqual([
          expect.objectContaining({ executionId: 'e1', status, code, msg: 'request' }),
        ]);
        expect(world.logged()).not.toContain(key);
      },
    );
  },
);

test('the refusal of an unknown route lists every route', async () => {
  const { app } = httpWorld();
  const answer = await app.inject({ url: '/skils', headers: withKey });
  const routes = contracts.map(({ method, url }) => `${method} ${url}`);
  expect(answer.json().detail).toBe(`GET /skils does not exist; available: ${routes.join(', ')}`);
});

test('the record of a refused request names the caller, the route and the error, without the query', async () => {
  const world = httpWorld();
  await world.app.inject({ url: '/skils?q=private', headers: withKey });
  await world.app.inject({ url: '/skills?q=private', headers: bare });
  const [missing, rejected] = world.events;
  expect(missing).toEqual({
    kind: 'request.denied',
    executionId: 'e1',
    time: 1000,
    via: 'http',
    actor: 'tester',
    code: 'ROUTE_NOT_FOUND',
    message: expect.stringMatching(/^GET \/skils does not exist; /),
    request: 'GET /skils',
  });
  expect(rejected).toEqual({
    kind: 'auth.rejected',
    executionId: 'e2',
    time: 1001,
    via: 'http',
    actor: null,
    code: 'UNAUTHENTICATED',
    message: expect.stringMatching(/^this route needs a key/),
    request: 'GET /skills',
  });
});

test('the record of a refused request is bounded for a long request', async () => {
  const world = httpWorld();
  await world.app.inject({ url: `/${'x'.repeat(8000)}`, headers: withKey });
  const [event] = world.events;
  expect(event).toMatchObject({
    request: `GET /${'x'.repeat(195)}`,
    message: expect.stringMatching(/^GET \/x{199} does not exist; /),
  });
});

test.each(['/skills/KEY', '/executions/KEY', '/KEY/skills'])(
  'a key in the path %s is redacted in the log, and another path is not',
  async (path) => {
    const world = httpWorld();
    const secret = `ambit_${'aB3dE5gH7jK9mN1p'.repeat(3)}`;
    for (const name of [secret, 'counter'])
      await world.app.inject({ url: path.replace('KEY', name), headers: withKey });
    expect(world.logged()).not.toContain(secret.slice(6));
    expect(world.lines.map((line) => (line as { path: string }).path)).toEqual([
      path.replace('KEY', '[redacted]'),
      path.replace('KEY', 'counter'),
    ]);
  },
);

test('an internal error is logged with its cause, which is not in the response', async () => {
  const world = httpWorld({ execute: () => Promise.reject(new TypeError('secret detail')) });
  const answer = await world.app.inject(call({ input: 1 }));
  expect(answer.body).not.toContain('secret detail');
  expect(world.lines).toEqual([
    {
      level: 50,
      executionId: 'e1',
      method: 'POST',
      path: '/skills/counter/execute',
      route: '/skills/:id/execute',
      key: 'tester',
      status: 500,
      durationMs: expect.any(Number),
      bytes: Buffer.byteLength(answer.body),
      code: 'INTERNAL',
      err: { type: 'TypeError', stack: expect.stringMatching(/^TypeError: secret detail\n/) },
      msg: 'request',
    },
  ]);
});

test('the content of a malformed body is not in the response, the record or the log', async () => {
  const world = httpWorld();
  const answer = await world.app.inject(raw('{"password": hunter2}'));
  expect(`${answer.body}${JSON.stringify(world.events)}${world.logged()}`).not.toContain('hunter2');
});
