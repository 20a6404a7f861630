// Threat model: T166, T228, T229, T238, T321

import { Readable } from 'node:stream';
import type { InjectOptions } from 'fastify';
import { describe, expect, test } from 'vitest';
import type { Authenticated, KeyRights } from '../auth/key-rights.ts';
import { type Scope, Scope as Scopes } from '../auth/scope.ts';
import { listedFile } from '../testing/some-skill.ts';
import type { ProblemCode } from './problem/answers.ts';
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

/** By route: a request, and the kinds of keys that may make it. `reached`: what the route itself refuses it with. */
const rows: Record<
  string,
  { send: InjectOptions; allowed: readonly (keyof typeof kinds)[]; reached?: ProblemCode }
> = {
  'GET /healthz': { send: { url: '/healthz' }, allowed: Object.keys(kinds) },
  'GET /readyz': { send: { url: '/readyz' }, allowed: Object.keys(kinds) },
  'GET /openapi.json': { send: { url: '/openapi.json' }, allowed: Object.keys(kinds) },
  'GET /docs': { send: { url: '/docs' }, allowed: Object.keys(kinds) },
  'GET /cluster/nodes': { send: { url: '/cluster/nodes' }, allowed: ['metrics', 'admin'] },
  'GET /metrics': { send: { url: '/metrics' }, allowed: ['metrics', 'admin'] },
  'GET /skills': { send: { url: '/skills' }, allowed: either('skills:read') },
  'GET /skills/:id': { send: { url: '/skills/counter' }, allowed: either('skills:read') },
  'GET /skills/:id/body': { send: { url: '/skills/counter/body' }, allowed: either('skills:read') },
  'GET /skills/:id/files': { send: { url: '/skills/counter/files' }, allowed: either('skills:read') },
  'GET /skills/:id/files/*': {
    send: { url: `/skills/counter/files/${thisFile.path}` },
    allowed: either('skills:read'),
  },
  'GET /tools': { send: { url: '/tools' }, allowed: either('skills:read') },
  'GET /skills/:id/proposal': { send: { url: '/skills/counter/proposal' }, allowed: either('audit:read') },
  'POST /skills/:id/execute': {
    send: { method: 'POST', url: '/skills/counter/execute', payload: { input: 1 } },
    allowed: either('skills:execute'),
  },
  'POST /chain': {
    send: { method: 'POST', url: '/chain', payload: { input: 1, steps: [{ skill: 'counter' }] } },
    allowed: either('skills:execute'),
  },
  'GET /executions/:id': { send: { url: '/executions/e1' }, allowed: either('skills:execute') },
  'GET /executions/:id/events': { send: { url: '/executions/e1/events' }, allowed: either('skills:execute') },
  'DELETE /executions/:id': {
    send: { method: 'DELETE', url: '/executions/e1' },
    allowed: either('skills:execute'),
  },
  'POST /batch': {
    send: { method: 'POST', url: '/batch', payload: { calls: [{ skill: 'counter', input: 1 }] } },
    allowed: either('skills:execute'),
  },
  'POST /workspaces': {
    send: { method: 'POST', url: '/workspaces', payload: {} },
    allowed: either('skills:execute'),
  },
  'GET /workspaces': { send: { url: '/workspaces' }, allowed: either('skills:execute') },
  'GET /workspaces/:id': { send: { url: '/workspaces/w1' }, allowed: either('skills:execute') },
  'DELETE /workspaces/:id': {
    send: { method: 'DELETE', url: '/workspaces/w1' },
    allowed: either('skills:execute'),
  },
  'GET /workspaces/:id/files/*': {
    send: { url: '/workspaces/w1/files/a.txt' },
    allowed: either('skills:execute'),
  },
  'PUT /workspaces/:id/files/*': {
    send: { method: 'PUT', url: '/workspaces/w1/files/b.txt' },
    allowed: either('skills:execute'),
  },
  'DELETE /workspaces/:id/files/*': {
    send: { method: 'DELETE', url: '/workspaces/w1/files/a.txt' },
    allowed: either('skills:execute'),
  },
  'GET /installs': { send: { url: '/installs' }, allowed: either('skills:read') },
  'GET /installs/:id': { send: { url: '/installs/counter' }, allowed: either('skills:read') },
  'POST /installs': deciding('/installs', { source: 'acme/skills' }),
  'POST /installs/:id/approve': deciding('/installs/counter/approve', { digest: 'sha256:d' }),
  'POST /installs/approve': deciding('/installs/approve', {
    skills: [{ id: 'counter', digest: 'sha256:d' }],
  }),
  'POST /installs/:id/postpone': deciding('/installs/counter/postpone', {
    until: '2999-01-01T00:00:00Z',
  }),
  'POST /installs/outdated': deciding('/installs/outdated', {}),
  'POST /installs/update': deciding('/installs/update', {}),
  'POST /installs/:id/packages': deciding('/installs/docx/packages', {}),
  'POST /installs/sync': deciding('/installs/sync', {}),
  'POST /installs/revoke': deciding('/installs/revoke', { subject: 'counter' }),
  'POST /installs/restore': deciding('/installs/restore', { subject: 'counter' }),
  'POST /installs/remove': deciding('/installs/remove', { skills: ['counter'] }),
  'POST /prompt': { send: { method: 'POST', url: '/prompt', payload: {} }, allowed: either('prompt') },
  'GET /configuration': { send: { url: '/configuration' }, allowed: ['admin'] },
  'GET /keys': { send: { url: '/keys' }, allowed: ['admin'] },
  'POST /policy/decide': {
    send: {
      ...{ method: 'POST', url: '/policy/decide' },
      payload: { skill: 'counter', capability: { kind: 'network', item: 'a.example' } },
    },
    allowed: ['admin'],
  },
  'GET /console/*': {
    send: { url: '/console/' },
    ...{ allowed: Object.keys(kinds), reached: 'CONSOLE_UNAVAILABLE' },
  },
  'POST /console/codes': {
    send: { method: 'POST', url: '/console/codes', payload: { purpose: 'sign-in' } },
    // And of these only the first key.
    allowed: [],
  },
  'POST /console/sessions': {
    send: { method: 'POST', url: '/console/sessions', payload: { code: 'x' } },
    ...{ allowed: Object.keys(kinds), reached: 'CODE_INVALID' },
  },
  'GET /console/session': {
    send: { url: '/console/session' },
    ...{ allowed: acceptedKinds, reached: 'SESSION_NOT_FOUND' },
  },
  'DELETE /console/session': {
    send: { method: 'DELETE', url: '/console/session' },
    ...{ allowed: acceptedKinds, reached: 'SESSION_NOT_FOUND' },
  },
  'POST /console/session/unlock': {
    send: { method: 'POST', url: '/console/session/unlock', payload: { code: 'x' } },
    ...{ allowed: acceptedKinds, reached: 'SESSION_NOT_FOUND' },
  },
  'GET /console/sessions': { send: { url: '/console/sessions' }, allowed: ['admin'] },
  'DELETE /console/sessions/:id': {
    send: { method: 'DELETE', url: '/console/sessions/none' },
    ...{ allowed: ['admin'], reached: 'SESSION_NOT_FOUND' },
  },
  'POST /mcp': { send: { method: 'POST', url: '/mcp', payload: {} }, allowed: either('skills:read') },
  'GET /mcp': { send: { url: '/mcp' }, allowed: either('skills:read') },
  'DELETE /mcp': { send: { method: 'DELETE', url: '/mcp' }, allowed: either('skills:read') },
  'GET /audit': { send: { url: '/audit' }, allowed: either('audit:read') },
  'GET /audit/count': { send: { url: '/audit/count' }, allowed: either('audit:read') },
  'GET /audit/stats': { send: { url: '/audit/stats' }, allowed: either('audit:read') },
  'GET /audit/export': { send: { url: '/audit/export' }, allowed: either('audit:read') },
  'GET /audit/follow': { send: { url: '/audit/follow' }, allowed: either('audit:read') },
  'GET /audit/events': { send: { url: '/audit/events' }, allowed: ['audit:read', 'admin'] },
  'GET /audit/chain': { send: { url: '/audit/chain' }, allowed: ['audit:read', 'admin'] },
  'GET /audit/verify': { send: { url: '/audit/verify' }, allowed: ['audit:read', 'admin'] },
  'GET /audit/events/:sequence/receipt': {
    send: { url: '/audit/events/1/receipt' },
    allowed: ['audit:read', 'admin'],
  },
  'GET /audit/tree/checkpoint': { send: { url: '/audit/tree/checkpoint' }, allowed: ['audit:read', 'admin'] },
  'GET /audit/tree/tile/*': { send: { url: '/audit/tree/tile/0/000' }, allowed: ['audit:read', 'admin'] },
  'GET /audit/:executionId': { send: { url: '/audit/e1' }, allowed: either('audit:read') },
  'GET /audit/:executionId/receipt': { send: { url: '/audit/e1/receipt' }, allowed: either('audit:read') },
};

/** A change of installed skills, which no key that is bound to skills may make. */
function deciding(url: string, payload: object): (typeof rows)[string] {
  return { send: { method: 'POST', url, payload }, allowed: ['approve', 'admin'] };
}

const routes = (): string[] => httpWorld().app.contracts.map(({ method, url }) => `${method} ${url}`);

test('every route of the app is in this table, and no other', () => {
  expect(Object.keys(rows).sort()).toEqual(routes().sort());
});

test('an app with a route without a contract is not built', () => {
  const { app } = httpWorld();
  expect(() => app.get('/new', async () => 'public')).toThrow(
    'GET /new has no contract; add the route with defineRoute',
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
  expect(routes().filter((route) => /key|grant|config/i.test(route))).toEqual([
    'GET /configuration',
    'GET /keys',
  ]);
});

describe.each(Object.entries(rows))('%s', (route, { send, allowed, reached }) => {
  test.each(Object.entries(kinds))('accepts only its own keys: %s', async (kind, options) => {
    const world = httpWorld({
      ...options,
      skills: [
        {
          ...skillOf('counter', 'run: { runtime: wasm, entry: a.wasm }'),
          ...{ root: import.meta.dirname, files: [thisFile] },
        },
      ],
      ...log,
      installs: installedSkills,
    });
    // An endless response ends with the daemon.
    if (route === 'GET /audit/follow') setImmediate(() => world.stop(new Error('it ends')));
    const { statusCode, body } = await world.app.inject({ ...send, headers });
    const code = statusCode < 300 ? undefined : (JSON.parse(body) as { code: string }).code;
    const isAllowed = allowed.includes(kind);
    expect({ kind, code }).toEqual({ kind, code: isAllowed ? reached : refusals(kind) });
    if (!isAllowed)
      expect(world.events).toEqual([
        expect.objectContaining({
          kind: code === 'UNAUTHENTICATED' ? 'auth.rejected' : 'request.denied',
          actor: ['wrong', 'none'].includes(kind) ? null : 'tester',
          code,
        }),
      ]);
  });
});

const changed = { skills: [], refused: [] };
const decided = { subject: 'sha256:d', skills: [], reason: null, by: 'tester', at: since, sequence: 1 };
const counter = {
  ...{ id: 'counter', state: 'unapproved' as const, source: '/s', folder: '', resolved: null },
  ...{ digest: 'sha256:d', tier: 'untrusted' as const, requests: [], findings: {} },
  ...{ publisher: null, identity: null, waiting: null, dependencies: null },
  ...{ until: null, postponedUntil: null },
};

/** One installed skill, and changes that succeed. */
const installedSkills: NonNullable<HttpWorldOptions['installs']> = {
  list: async () => [counter],
  review: async () => ({
    ...{
      skill: counter,
      digest: 'sha256:d',
      review: 'r',
      approved: null,
      gets: [],
      wider: [],
      narrower: [],
      files: [],
      packages: [],
      packageChanges: [],
      namespaceSources: [],
    },
    provenance: { publisher: null, identity: null, change: null, problem: null },
    reading: {
      ...{ description: null, version: null, executable: false, problem: null, files: [], bytes: 0 },
      ...{ requests: [], scripts: [], findings: [] },
      dependencies: { declared: [], refused: [], guessed: [] },
    },
  }),
  add: async () => changed,
  approve: async ({ id, tier }) => approved(id, tier),
  approveAll: async ({ skills, tier }) => skills.map(({ id }) => approved(id, tier)),
  postpone: async ({ id, until }) => ({
    id,
    until,
    digest: 'sha256:d',
    by: 'tester',
    at: since,
    sequence: 1,
  }),
  outdated: async () => changed,
  update: async () => changed,
  revoke: async () => decided,
  restore: async () => decided,
  remove: async () => changed,
  lockPackages: async () => changed,
};

function approved(id: string, tier: 'local' | 'verified' = 'verified') {
  return {
    ...{ id, digest: 'sha256:d', tier, requests: [], publisher: null, identity: null, dependencies: null },
    ...{ by: 'tester', at: since, sequence: 1, call: null },
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

function refusals(kind: string): string {
  if (kind === 'limited') return 'RATE_LIMITED';
  const rejected: readonly Authenticated['status'][] = ['expired', 'revoked', 'wrong'];
  return kind === 'none' || rejected.includes(kind as never) ? 'UNAUTHENTICATED' : 'SCOPE_MISSING';
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
