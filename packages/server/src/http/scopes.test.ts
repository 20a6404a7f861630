// Threat model: T166, T228, T229, T238, T321

import { Readable } from 'node:stream';
import { contracts, type ProblemCode, type Scope, Scope as Scopes } from '@ambit/api';
import type { InjectOptions } from 'fastify';
import { describe, expect, test } from 'vitest';
import type { Authentication, KeyRights } from '../auth/key-rights.ts';
import { listedFile } from '../testing/some-skill.ts';
import { authorization, type HttpWorldOptions, httpWorld, skillOf } from './testing/http-world.ts';
import { anEventReceipt, aReceipt, aRecord, aVerification, someStats } from './testing/log-answers.ts';

const since = '2026-03-01T00:00:00Z';
const headers = { host: 'localhost:7433', authorization };

/** Every kind of key: one per scope, and keys that are not accepted. */
const kinds: Record<string, HttpWorldOptions> = {
  ...Object.fromEntries(
    Scopes.options.map((scope): [string, HttpWorldOptions] => [scope, { rights: { scopes: [scope] } }]),
  ),
  ...Object.fromEntries(
    Scopes.options
      .filter((scope) => scope !== 'admin')
      .map((scope): [string, HttpWorldOptions] => [
        `${scope}, of one skill`,
        { rights: { scopes: [scope], skills: new Set(['counter']) } },
      ]),
  ),
  expired: { authenticated: { status: 'expired', actor: 'tester', since } },
  revoked: { authenticated: { status: 'revoked', actor: 'tester', since } },
  limited: { authenticated: { status: 'limited', actor: 'tester', retryAfterMs: 1 } },
  wrong: { authenticated: { status: 'wrong' } },
  none: { authenticated: { status: 'missing' } },
};

/** Every kind of key that is accepted. */
const acceptedKinds = Object.keys(kinds).slice(0, 2 * Scopes.options.length - 1);

/** A file that exists. */
const thisFile = listedFile(import.meta.filename);

/** A request, and the kinds of keys that may make it. `reached`: what the route itself refuses it with. */
interface Row {
  send: InjectOptions;
  allowed: readonly (keyof typeof kinds)[];
  reached?: ProblemCode | undefined;
}

/** By route. */
const rows: Record<string, Row> = {
  'GET /healthz': get('/healthz', Object.keys(kinds)),
  'GET /readyz': get('/readyz', Object.keys(kinds)),
  'GET /openapi.json': get('/openapi.json', Object.keys(kinds)),
  'GET /docs': get('/docs', Object.keys(kinds)),
  'GET /cluster/nodes': get('/cluster/nodes', ['metrics', 'admin']),
  'GET /metrics': get('/metrics', ['metrics', 'admin']),
  'GET /skills': get('/skills', either('skills:read')),
  'GET /skills/:id': get('/skills/counter', either('skills:read')),
  'GET /skills/:id/body': get('/skills/counter/body', either('skills:read')),
  'GET /skills/:id/files': get('/skills/counter/files', either('skills:read')),
  'GET /skills/:id/files/*': get(`/skills/counter/files/${thisFile.path}`, either('skills:read')),
  'GET /tools': get('/tools', either('skills:read')),
  'GET /skills/:id/proposal': get('/skills/counter/proposal', either('audit:read')),
  'POST /skills/:id/execute': post('/skills/counter/execute', { input: 1 }, either('skills:execute')),
  'POST /chain': post('/chain', { input: 1, steps: [{ skill: 'counter' }] }, either('skills:execute')),
  'GET /executions/:id': get('/executions/e1', either('skills:execute')),
  'GET /executions/:id/events': get('/executions/e1/events', either('skills:execute')),
  'DELETE /executions/:id': sent('DELETE', '/executions/e1', either('skills:execute')),
  'POST /batch': post('/batch', { calls: [{ skill: 'counter', input: 1 }] }, either('skills:execute')),
  'POST /workspaces': post('/workspaces', {}, either('skills:execute')),
  'GET /workspaces': get('/workspaces', either('skills:execute')),
  'GET /workspaces/:id': get('/workspaces/w1', either('skills:execute')),
  'DELETE /workspaces/:id': sent('DELETE', '/workspaces/w1', either('skills:execute')),
  'GET /workspaces/:id/files/*': get('/workspaces/w1/files/a.txt', either('skills:execute')),
  'PUT /workspaces/:id/files': sent('PUT', '/workspaces/w1/files', either('skills:execute')),
  'PUT /workspaces/:id/files/*': sent('PUT', '/workspaces/w1/files/b.txt', either('skills:execute')),
  'DELETE /workspaces/:id/files/*': sent('DELETE', '/workspaces/w1/files/a.txt', either('skills:execute')),
  'GET /installs': get('/installs', either('skills:read')),
  'GET /installs/:id': get('/installs/counter', either('skills:read')),
  'POST /installs': deciding('/installs', { source: 'acme/skills' }),
  'POST /installs/:id/approve': deciding('/installs/counter/approve', { digest: 'sha256:d' }),
  'POST /installs/approve': deciding('/installs/approve', {
    skills: [{ id: 'counter', digest: 'sha256:d' }],
  }),
  'POST /installs/outdated': deciding('/installs/outdated', {}),
  'POST /installs/update': deciding('/installs/update', {}),
  'POST /installs/:id/packages': deciding('/installs/docx/packages', {}),
  'POST /installs/sync': deciding('/installs/sync', {}),
  'POST /installs/revoke': deciding('/installs/revoke', { subject: 'counter' }),
  'POST /installs/restore': deciding('/installs/restore', { subject: 'counter' }),
  'POST /installs/remove': deciding('/installs/remove', { skills: ['counter'] }),
  'POST /prompt': post('/prompt', {}, either('prompt')),
  'GET /configuration': get('/configuration', ['admin']),
  'GET /keys': get('/keys', ['admin']),
  'POST /policy/decide': post(
    '/policy/decide',
    { skill: 'counter', capability: { kind: 'network', item: 'a.example' } },
    ['admin'],
  ),
  'GET /console/*': get('/console/', Object.keys(kinds), 'CONSOLE_UNAVAILABLE'),
  // Among the keys with the scope admin, only the first key gets codes.
  'POST /console/codes': post('/console/codes', { purpose: 'sign-in' }, []),
  'POST /console/sessions': post('/console/sessions', { code: 'x' }, Object.keys(kinds), 'CODE_INVALID'),
  'GET /console/session': get('/console/session', acceptedKinds, 'SESSION_NOT_FOUND'),
  'DELETE /console/session': sent('DELETE', '/console/session', acceptedKinds, 'SESSION_NOT_FOUND'),
  'POST /console/session/unlock': post(
    '/console/session/unlock',
    { code: 'x' },
    acceptedKinds,
    'SESSION_NOT_FOUND',
  ),
  'GET /console/sessions': get('/console/sessions', ['admin']),
  'DELETE /console/sessions/:id': sent('DELETE', '/console/sessions/none', ['admin'], 'SESSION_NOT_FOUND'),
  'POST /mcp': post('/mcp', {}, either('skills:read')),
  'GET /mcp': get('/mcp', either('skills:read')),
  'DELETE /mcp': sent('DELETE', '/mcp', either('skills:read')),
  'GET /audit': get('/audit', either('audit:read')),
  'GET /audit/count': get('/audit/count', either('audit:read')),
  'GET /audit/stats': get('/audit/stats', either('audit:read')),
  'GET /audit/export': get('/audit/export', either('audit:read')),
  'GET /audit/follow': get('/audit/follow', either('audit:read')),
  'GET /audit/events': get('/audit/events', ['audit:read', 'admin']),
  'GET /audit/chain': get('/audit/chain', ['audit:read', 'admin']),
  'GET /audit/verify': get('/audit/verify', ['audit:read', 'admin']),
  'GET /audit/events/:sequence/receipt': get('/audit/events/1/receipt', ['audit:read', 'admin']),
  'GET /audit/tree/checkpoint': get('/audit/tree/checkpoint', ['audit:read', 'admin']),
  'GET /audit/tree/tile/*': get('/audit/tree/tile/0/000', ['audit:read', 'admin']),
  'GET /audit/:executionId': get('/audit/e1', either('audit:read')),
  'GET /audit/:executionId/receipt': get('/audit/e1/receipt', either('audit:read')),
};

type Allowed = Row['allowed'];

function get(url: string, allowed: Allowed, reached?: ProblemCode): Row {
  return { send: { url }, allowed, reached };
}

function sent(method: 'DELETE' | 'PUT', url: string, allowed: Allowed, reached?: ProblemCode): Row {
  return { send: { method, url }, allowed, reached };
}

function post(url: string, payload: object, allowed: Allowed, reached?: ProblemCode): Row {
  return { send: { method: 'POST', url, payload }, allowed, reached };
}

/** A change of installed skills, which no key that is bound to skills may make. */
function deciding(url: string, payload: object): Row {
  return post(url, payload, ['approve', 'admin']);
}

const routes = contracts.map(({ method, url }) => `${method} ${url}`);

test('every route of the app is in this table, and no other', () => {
  expect(Object.keys(rows).sort()).toEqual(routes.toSorted());
});

test('an app with a route without a contract is not built', () => {
  const { app } = httpWorld();
  expect(() => app.get('/new', async () => 'public')).toThrow(
    'GET /new has no contract of its own in @ambit/api; add one to its list',
  );
});

test('a key that may GET a route may HEAD it, and no other key', async () => {
  const head = async (rights: Partial<KeyRights>) => {
    const { app } = httpWorld({ rights, skills: [skillOf('counter', ''), skillOf('other', '')] });
    const send = async (url: string) => (await app.inject({ method: 'HEAD', url, headers })).statusCode;
    return [await send('/skills'), await send('/skills/other'), await send('/audit')];
  };
  expect(await head({ scopes: ['skills:read'] })).toEqual([200, 200, 405]);
  expect(await head({ scopes: ['skills:read'], skills: new Set(['counter']) })).toEqual([200, 404, 405]);
  expect(await head({ scopes: ['prompt'] })).toEqual([403, 403, 405]);
});

test('no route creates or revokes keys, or changes grants or the configuration', () => {
  expect(routes.filter((route) => /key|grant|config/i.test(route))).toEqual([
    'GET /configuration',
    'GET /keys',
  ]);
});

/** The rows in an order in which none takes away what a later one reads: an endless response ends with the daemon. */
const inOrder = Object.entries(rows).toSorted(([one], [other]) => turn(one) - turn(other));

function turn(route: string): number {
  const last = ['DELETE /workspaces/:id/files/*', 'DELETE /workspaces/:id', 'GET /audit/follow'];
  return last.indexOf(route);
}

test.each(Object.entries(kinds))(
  'a key is accepted by its own routes alone, and each refusal leaves one record: %s',
  async (kind, options) => {
    const world = httpWorld({
      ...options,
      skills: [
        {
          ...skillOf('counter', 'run: { runtime: wasm, entry: a.wasm }'),
          root: import.meta.dirname,
          files: [thisFile],
        },
      ],
      ...log,
      installs: installedSkills,
    });
    const found: Record<string, unknown> = {};
    const expected: Record<string, unknown> = {};
    for (const [route, { send, allowed, reached }] of inOrder) {
      const before = world.events.length;
      if (route === 'GET /audit/follow') setImmediate(() => world.stop(new Error('it ends')));
      const { statusCode, body } = await world.app.inject({ ...send, headers });
      const code = statusCode < 300 ? undefined : (JSON.parse(body) as { code: string }).code;
      const events = world.events.slice(before);
      found[route] = allowed.includes(kind) ? { code } : { code, events };
      expected[route] = allowed.includes(kind) ? { code: reached } : refusedAs(kind);
    }
    expect(found).toEqual(expected);
  },
);

const changed = { skills: [], refused: [] };
const decided = { subject: 'sha256:d', skills: [], reason: null, by: 'tester', at: since, sequence: 1 };
const counter = {
  id: 'counter',
  state: 'unapproved' as const,
  source: '/s',
  folder: '',
  resolved: null,
  digest: 'sha256:d',
  tier: 'untrusted' as const,
  requests: [],
  findings: {},
  publisher: null,
  identity: null,
  waiting: null,
  dependencies: null,
  until: null,
};

/** One installed skill, and changes that succeed. */
const installedSkills: NonNullable<HttpWorldOptions['installs']> = {
  list: async () => [counter],
  review: async () => ({
    skill: counter,
    digest: 'sha256:d',
    review: 'r',
    approved: null,
    gets: [],
    limits: [],
    declaredRemedy: null,
    wider: [],
    narrower: [],
    files: [],
    packages: [],
    packageChanges: [],
    namespaceSources: [],
    provenance: { publisher: null, identity: null, change: null, problem: null },
    reading: {
      description: null,
      version: null,
      executable: false,
      problem: null,
      warnings: [],
      hiddenFrom: [],
      files: [],
      bytes: 0,
      requests: [],
      declares: [],
      scripts: [],
      findings: [],
      dependencies: { declared: [], refused: [], guessed: [] },
    },
  }),
  add: async () => changed,
  approve: async ({ id, tier }) => approved(id, tier),
  approveAll: async ({ skills, tier }) => skills.map(({ id }) => approved(id, tier)),
  outdated: async () => changed,
  update: async () => changed,
  revoke: async () => decided,
  restore: async () => decided,
  remove: async () => changed,
  lockPackages: async () => changed,
};

function approved(id: string, tier: 'local' | 'verified' = 'verified') {
  return {
    id,
    digest: 'sha256:d',
    tier,
    requests: [],
    publisher: null,
    identity: null,
    dependencies: null,
    by: 'tester',
    at: since,
    sequence: 1,
    call: null,
  };
}

/** A log with one record, of this caller, and empty answers to everything else. */
const log: HttpWorldOptions = {
  page: { records: [aRecord], next: null },
  log: {
    count: async () => 1,
    stats: async () => someStats,
    export: () => Readable.from([]),
    events: async () => [],
    follow: () => () => undefined,
  },
  proofs: {
    eventReceipt: async () => anEventReceipt,
    receipt: async () => aReceipt,
    verify: async () => aVerification,
    tree: {
      head: async () => 'a head',
      file: async () => Uint8Array.of(1),
      inclusion: async () => undefined,
    },
  },
};

function either(scope: Scope): string[] {
  return [scope, `${scope}, of one skill`, 'admin'];
}

function refusedAs(kind: string): object {
  const rejected: readonly Authentication['status'][] = ['expired', 'revoked', 'wrong'];
  const isRejected = kind === 'none' || rejected.includes(kind as never);
  const limit = kind === 'limited' ? 'RATE_LIMITED' : 'SCOPE_MISSING';
  const code = isRejected ? 'UNAUTHENTICATED' : limit;
  const event = {
    kind: isRejected ? 'auth.rejected' : 'request.denied',
    actor: ['wrong', 'none'].includes(kind) ? null : 'tester',
    code,
  };
  return { code, events: [expect.objectContaining(event)] };
}

describe('a key bound to skills', () => {
  const tool = 'run: { runtime: wasm, entry: a.wasm }';
  const world = (rights: Partial<KeyRights> = {}) =>
    httpWorld({
      skills: [skillOf('counter', tool), skillOf('other', tool)],
      broken: [{ id: 'bent', root: '/skills/bent', problem: 'no description' }],
      rights: {
        scopes: ['skills:read', 'skills:execute', 'prompt'],
        skills: new Set(['counter']),
        ...rights,
      },
    });
  const get = async ({ app }: ReturnType<typeof world>, url: string) =>
    (await app.inject({ url, headers })).json();
  const post = async ({ app }: ReturnType<typeof world>, url: string, payload: object) =>
    (await app.inject({ method: 'POST', url, headers, payload })).json();

  test.each(['/skills', '/skills?executable=true', '/skills?phase=plan'])(
    'lists only those: %s',
    async (url) => {
      const { skills, broken } = await get(world(), url);
      expect([skills.map(({ id }: { id: string }) => id), broken]).toEqual([['counter'], []]);
      const all = await get(world({ skills: undefined }), url);
      expect(all.skills.map(({ id }: { id: string }) => id)).toEqual(['counter', 'other']);
      expect(all.broken).toHaveLength(1);
    },
  );

  test.each(['other', 'bent'])('reports another skill as missing, %s', async (id) => {
    const bound = world();
    const words = (answer: { code: string; detail: string }, name: string) => [
      answer.code,
      answer.detail.replaceAll(name, 'IT'),
    ];
    for (const ask of [
      (name: string) => get(bound, `/skills/${name}`),
      (name: string) => get(bound, `/skills/${name}/body`),
      (name: string) => get(bound, `/skills/${name}/files`),
      (name: string) => get(bound, `/skills/${name}/files/SKILL.md`),
      (name: string) => post(bound, `/skills/${name}/execute`, { input: 1 }),
      (name: string) => post(bound, '/chain', { input: 1, steps: [{ skill: 'counter' }, { skill: name }] }),
    ])
      expect(words(await ask(id), id)).toEqual(words(await ask('nowhere'), 'nowhere'));
    expect(
      bound.events
        .filter(({ kind }) => kind === 'call.started')
        .map((event) => 'skill' in event && event.skill),
    ).toContainEqual({ id });
    expect((await post(bound, '/skills/counter/execute', { input: 1 })).outcome.status).toBe('succeeded');
  });

  test('composes prompts from those alone', async () => {
    const ids = async (bound: ReturnType<typeof world>) =>
      (await post(bound, '/prompt', {})).skills.map(({ id }: { id: string }) => id);
    expect(await ids(world())).toEqual(['counter']);
    expect(await ids(world({ skills: undefined }))).toEqual(['counter', 'other']);
  });
});

test('the limits of a key apply to calls and chains, regardless of what they request', async () => {
  const asking = 'run: { runtime: wasm, entry: a.wasm, capabilities: { state: write } }';
  const options: HttpWorldOptions = { skills: [skillOf('counter', asking)], enforces: ['state'] };
  const granted = async (rights: Partial<KeyRights>) => {
    const world = httpWorld({ ...options, rights });
    const calls: [string, object][] = [
      ['/skills/counter/execute', { input: 1, capabilities: { state: 'write' }, limits: { timeoutMs: 900 } }],
      ['/chain', { input: 1, steps: [{ skill: 'counter' }] }],
    ];
    for (const [url, payload] of calls) await world.app.inject({ method: 'POST', url, headers, payload });
    return world.events.flatMap((event) =>
      event.kind === 'call.finished' ? [[event.granted.state, event.limits.timeoutMs]] : [],
    );
  };
  expect(await granted({ ceiling: { capabilities: { state: 'read' }, limits: { timeoutMs: 500 } } })).toEqual(
    [
      ['read', 500],
      ['read', 500],
    ],
  );
  expect(await granted({})).toEqual([
    ['write', 900],
    ['write', 60_000],
  ]);
});
