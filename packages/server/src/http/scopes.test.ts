// Threat model: T166, T228, T229, T238, T321

import { Readable } from 'node:stream';
import { contracts, type ProblemCode, type RouteScope, Scope as Scopes } from '@ambit/api';
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

const counterVersion = { id: 'counter', digest: 'sha256:d' };

/** Requests that need more than the examples of their contracts, by route. */
const requests: Readonly<Record<string, InjectOptions>> = {
  'GET /skills/:id/files/*': { url: `/skills/counter/files/${thisFile.path}` },
  'POST /skills/:id/execute': { payload: { input: 1 } },
  'POST /chain': { payload: { input: 1, steps: [{ skill: 'counter' }] } },
  'POST /batch': { payload: { calls: [{ skill: 'counter', input: 1 }] } },
  'POST /workspaces': { payload: {} },
  'GET /workspaces/:id/files/*': { url: '/workspaces/w1/files/a.txt' },
  'PUT /workspaces/:id/files/*': { url: '/workspaces/w1/files/b.txt' },
  'DELETE /workspaces/:id/files/*': { url: '/workspaces/w1/files/a.txt' },
  'POST /installs/:id/approve': { payload: { digest: 'sha256:d' } },
  'POST /installs/approve': { payload: { skills: [counterVersion] } },
  'POST /installs/remove': { payload: { skills: ['counter'] } },
  'POST /installs/revoke': { payload: { subject: 'counter' } },
  'POST /installs/restore': { payload: { subject: 'counter' } },
  'POST /policy/decide': {
    payload: { skill: 'counter', capability: { kind: 'network', item: 'a.example' } },
  },
  'GET /console/*': { url: '/console/' },
  'POST /console/sessions': { payload: { code: 'x' } },
  'POST /console/session/unlock': { payload: { code: 'x' } },
  'GET /audit/tree/tile/*': { url: '/audit/tree/tile/0/000' },
};

/** A request to each route, and the scope that its contract asks for. */
const rows = contracts.map((contract) => {
  const { method, url, scope, body, bodyExample } = contract;
  const route = `${method} ${url}`;
  const path = url
    .replace(/^\/(skills|installs)\/:id/, '/$1/counter')
    .replace(':executionId', 'e1')
    .replace(':sequence', '1')
    .replace(':id', url.startsWith('/workspaces') ? 'w1' : 'e1');
  const payload = body === undefined ? {} : { payload: Object(bodyExample ?? {}) };
  return {
    route,
    scope,
    send: { method, url: path, ...payload, ...requests[route] } satisfies InjectOptions,
  };
});

/** The code by which a route refuses an accepted key: these keys have no session, and no page is built. */
const reached: Readonly<Record<string, ProblemCode>> = {
  'GET /console/*': 'CONSOLE_UNAVAILABLE',
  'POST /console/sessions': 'CODE_INVALID',
  'GET /console/session': 'SESSION_NOT_FOUND',
  'DELETE /console/session': 'SESSION_NOT_FOUND',
  'POST /console/session/unlock': 'SESSION_NOT_FOUND',
  'DELETE /console/sessions/:id': 'SESSION_NOT_FOUND',
};

/** Routes about everything in the log, which no key that is bound to skills may use. */
const ofWholeLog = /^GET \/audit\/(?:events|chain|verify|tree)\b/;

/** The kinds of keys that a route accepts. */
function allowedAt({ route, scope }: (typeof rows)[number]): readonly string[] {
  // Among the keys with the scope admin, only the first key gets codes.
  if (route === 'POST /console/codes') return [];
  if (scope === 'open') return Object.keys(kinds);
  if (scope === 'any') return acceptedKinds;
  const isForBound = !['admin', 'approve', 'metrics'].includes(scope) && !ofWholeLog.test(route);
  return [scope, 'admin', ...(isForBound ? [`${scope}, of one skill`] : [])];
}

/** The scope of each route, written apart from the contracts: the first pattern that matches. */
const scopesBySubject: readonly [RegExp, RouteScope][] = [
  [/^GET \/(?:healthz|readyz|openapi\.json|docs|console\/\*)$|^POST \/console\/sessions$/, 'open'],
  [/^\w+ \/console\/session(?:\/unlock)?$/, 'any'],
  [/^\w+ \/(?:configuration|keys|policy|console)\b/, 'admin'],
  [/^GET \/(?:metrics|cluster)\b/, 'metrics'],
  [/^GET \/installs\b/, 'skills:read'],
  [/^POST \/installs\b/, 'approve'],
  [/^GET \/audit\b|^GET \/skills\/:id\/proposal$/, 'audit:read'],
  [/^POST \/prompt$/, 'prompt'],
  [/^\w+ \/(?:workspaces|executions|chain|batch)\b|^POST \/skills\/:id\/execute$/, 'skills:execute'],
  [/^GET \/(?:skills|tools)\b|^\w+ \/mcp$/, 'skills:read'],
];

test('every contract asks for the scope of its subject', () => {
  const expected = ({ route }: (typeof rows)[number]) =>
    scopesBySubject.find(([pattern]) => pattern.test(route))?.[1];
  expect(rows.map((row) => [row.route, row.scope])).toEqual(rows.map((row) => [row.route, expected(row)]));
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
  const routes = rows.map(({ route }) => route);
  expect(routes.filter((route) => /key|grant|config/i.test(route))).toEqual([
    'GET /configuration',
    'GET /keys',
  ]);
});

/** The rows in an order in which none takes away what a later one reads: an endless response ends with the daemon. */
const inOrder = rows.toSorted((one, other) => turn(one.route) - turn(other.route));

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
    for (const row of inOrder) {
      const { route, send } = row;
      const isAllowed = allowedAt(row).includes(kind);
      const before = world.events.length;
      if (route === 'GET /audit/follow') setImmediate(() => world.stop(new Error('it ends')));
      const { statusCode, body } = await world.app.inject({ ...send, headers });
      const code = statusCode < 300 ? undefined : (JSON.parse(body) as { code: string }).code;
      const events = world.events.slice(before);
      found[route] = isAllowed ? { code } : { code, events };
      expected[route] = isAllowed ? { code: reached[route] } : refusedAs(kind);
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
