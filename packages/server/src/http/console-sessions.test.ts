// Threat model: T219, T220, T221, T224, T225, T226

import { contracts, stepUpOf } from '@ambit/api';
import type { AuditEvent } from '@ambit/core/audit';
import { expect, test } from 'vitest';
import { keyDigest } from '../auth/authenticate.ts';
import { Refusal } from '../errors/refusal.ts';
import type { Requester } from '../installs/installs.ts';
import { browserOf } from './testing/browser.ts';
import { authorization, type HttpWorldOptions, httpWorld } from './testing/http-world.ts';

const minutes = 60_000;
const start = Date.parse('2026-03-01T08:00:00Z');
const firstKey = { actor: 'key' };

/** A server with the first key, whose clock stands still. */
async function world(options: HttpWorldOptions = {}) {
  const console = { now: start, isOn: true };
  const made = httpWorld({ rights: firstKey, console, ...options });
  return { ...made, clock: console, ...(await browserOf(made)) };
}

const digestOf = (code: string) => `sha256:${keyDigest(code).toString('hex')}`;
const kinds = (events: readonly AuditEvent[]) => events.map(({ kind }) => kind);
const run = { method: 'POST', body: { input: 1 } };

test('a one-time code opens a session, which reads, says who it is and signs out', async () => {
  const { origin, port, send, code, events } = await world();
  const signIn = await code('sign-in');
  const opened = await send('/console/sessions', {
    method: 'POST',
    headers: { origin },
    body: { code: signIn },
  });
  const { id, half } = opened.body;
  const times = { createdAt: '2026-03-01T08:00:00.000Z', expiresAt: '2026-03-01T16:00:00.000Z' };
  expect(opened.body).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{12}$/),
    half: expect.stringMatching(/^ambit_session_[\w-]{43}$/),
    ...times,
    idleSeconds: 1800,
    scopes: ['admin'],
  });
  const [cookie = ''] = opened.headers['set-cookie'] ?? [];
  expect(cookie.replace(/=ambit_session_[\w-]{43};/, '=VALUE;')).toBe(
    `ambit-console-${port}-${id}=VALUE; HttpOnly; SameSite=Strict; Path=/; Max-Age=28800`,
  );
  const headers = { cookie: cookie.split(';')[0] as string, 'ambit-session': half };
  expect((await send('/skills', { headers })).body.skills).toHaveLength(1);
  expect((await send('/console/session', { headers })).body).toEqual({
    id,
    actor: `console:${id}`,
    ...times,
    idleSeconds: 1800,
    scopes: ['admin'],
    unlockedUntil: null,
    version: '1.2.3',
  });
  const left = await send('/console/session', { method: 'DELETE', headers });
  expect([left.status, left.headers['set-cookie']]).toEqual([
    204,
    [`ambit-console-${port}-${id}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0`],
  ]);
  expect((await send('/skills', { headers })).body.code).toBe('UNAUTHENTICATED');
  const [time, actor] = [start, `console:${id}`];
  expect(events.slice(0, 3)).toEqual([
    {
      kind: 'console.issued',
      time,
      actor: 'key',
      purpose: 'sign-in',
      digest: digestOf(signIn),
      expiresAt: start + minutes,
    },
    {
      kind: 'console.opened',
      time,
      actor,
      scopes: ['admin'],
      expiresAt: start + 480 * minutes,
      confirmation: { digest: digestOf(signIn), issuedAt: start },
    },
    { kind: 'console.closed', time, actor, session: actor, reason: 'signed out' },
  ]);
  expect(JSON.stringify(events)).not.toContain(signIn);
});

test('a browser on TLS gets a cookie for TLS alone', async () => {
  const { app, code } = await world();
  const send = async (origin: string) => {
    const { headers } = await app.inject({
      method: 'POST',
      url: '/console/sessions',
      payload: { code: await code('sign-in') },
      headers: { host: 'localhost:7433', origin },
    });
    return String(headers['set-cookie']).split('; ').slice(1);
  };
  const always = ['HttpOnly', 'SameSite=Strict', 'Path=/', 'Max-Age=28800'];
  expect(await send('https://localhost:7433')).toEqual([...always, 'Secure']);
  expect(await send('http://localhost:7433')).toEqual(always);
});

test('a code is valid once, for 60 seconds and for its purpose', async () => {
  const { send, code, clock, events } = await world();
  const redeem = async (given: string) => {
    const { status, body } = await send('/console/sessions', { method: 'POST', body: { code: given } });
    return status === 200 ? 200 : [status, body.code];
  };
  const refused = [401, 'CODE_INVALID'];
  const [once, late, last] = [await code('sign-in'), await code('sign-in'), await code('sign-in')];
  const confirm = await code('confirm');
  expect([await redeem(once), await redeem(once)]).toEqual([200, refused]);
  expect(await redeem(`${late.slice(0, -1)}`)).toEqual(refused);
  expect([await redeem(confirm), await redeem(confirm)]).toEqual([refused, refused]);
  clock.now += minutes - 1;
  expect(await redeem(last)).toBe(200);
  clock.now += 1;
  expect(await redeem(late)).toEqual(refused);
  expect(events.filter(({ kind }) => kind === 'auth.rejected')).toHaveLength(5);
});

test('one half of a session is refused and recorded as the session it belongs to', async () => {
  const { send, signIn, events, port } = await world();
  const [mine, other] = [await signIn(), await signIn()];
  const attempts: [string, Record<string, string>, RegExp][] = [
    ['a stolen cookie', { cookie: mine.cookie }, /came without the second half, .* "ambit console revoke"/],
    ['a stolen half', { 'ambit-session': mine['ambit-session'] }, /came without its cookie;/],
    ["another session's half", { ...other, cookie: mine.cookie }, /came without its cookie;/],
    ['a guessed half', { cookie: mine.cookie, 'ambit-session': 'x' }, /came without the second half/],
    [
      'a renamed cookie',
      { ...mine, cookie: mine.cookie.replace('ambit', 'other') },
      /came without its cookie/,
    ],
    ['a key as half', { cookie: mine.cookie, 'ambit-session': 'the-key-of-this-test' }, /second half/],
  ];
  for (const [what, headers, detail] of attempts) {
    const { status, body } = await send('/skills', { headers });
    expect([what, status, body.code, body.detail]).toEqual([
      ...[what, 401, 'UNAUTHENTICATED', expect.stringMatching(detail)],
    ]);
    expect(events.at(-1)).toMatchObject({
      kind: 'auth.rejected',
      actor: expect.stringMatching(/^console:[0-9a-f]{12}$/),
    });
  }
  const unknown = { cookie: `ambit-console-${port}-1=x`, 'ambit-session': 'x' };
  expect((await send('/skills', { headers: unknown })).body.detail).toMatch(/^the session .* has ended:/);
  expect(events.at(-1)).toMatchObject({ kind: 'auth.rejected', actor: null });
  expect((await send('/skills', { headers: mine })).status).toBe(200);
});

test('two sessions of one browser, each in its own tab, are both open', async () => {
  const { send, signIn } = await world();
  const [first, second] = [await signIn(), await signIn()];
  const cookie = `theme=dark; ${first.cookie}; ${second.cookie}`;
  for (const tab of [first, second])
    expect((await send('/skills', { headers: { ...tab, cookie } })).status).toBe(200);
});

test('requests of other sites are refused, and requests of its own page are answered', async () => {
  const { send, signIn, code, origin, events } = await world();
  const mine = await signIn();
  const foreign: [string, Record<string, string>, string][] = [
    ['Origin', { ...mine, origin: 'http://evil.example' }, 'ORIGIN_REFUSED'],
    ['Origin', { ...mine, origin: 'null' }, 'ORIGIN_REFUSED'],
    ['Host', { ...mine, host: 'evil.example' }, 'HOST_REFUSED'],
    ['Sec-Fetch-Site', { ...mine, 'sec-fetch-site': 'cross-site' }, 'ORIGIN_REFUSED'],
    ['Sec-Fetch-Site', { ...mine, 'sec-fetch-site': 'same-site' }, 'ORIGIN_REFUSED'],
    ['Sec-Fetch-Site', { ...mine, 'sec-fetch-site': 'none' }, 'ORIGIN_REFUSED'],
  ];
  for (const [header, headers, refused] of foreign)
    expect([header, (await send('/skills', { headers })).body.code]).toEqual([header, refused]);
  const { 'sec-fetch-site': _, ...older } = mine;
  expect((await send('/skills', { headers: { ...mine, origin } })).status).toBe(200);
  expect((await send('/skills', { headers: older })).status).toBe(200);

  const body = { code: await code('sign-in') };
  const signingIn = { method: 'POST', body, headers: { 'sec-fetch-site': 'cross-site' } };
  expect((await send('/console/sessions', signingIn)).body.code).toBe('ORIGIN_REFUSED');
  expect((await send('/console/sessions', { method: 'POST', body })).status).toBe(200);

  // An old browser sends the cookie with another site's form, but not the header of the page.
  const form = {
    cookie: mine.cookie,
    origin: 'http://evil.example',
    'content-type': 'application/x-www-form-urlencoded',
  };
  const posted = { method: 'POST', body: 'input=1', headers: form };
  expect((await send('/skills/counter/execute', posted)).body.code).toBe('ORIGIN_REFUSED');
  const sameSite = { ...posted, headers: { ...form, origin } };
  expect((await send('/skills/counter/execute', sameSite)).body.code).toBe('UNAUTHENTICATED');
  expect(kinds(events)).not.toContain('call.started');
});

test('a session ends after 30 minutes without a request of a person, and after eight hours', async () => {
  const { send, signIn, clock } = await world();
  const read = async (headers: Record<string, string>) => (await send('/skills', { headers })).status;
  const mine = await signIn();
  clock.now += 30 * minutes - 1;
  expect(await read(mine)).toBe(200);
  const unattended = { ...mine, 'ambit-background': '1' };
  clock.now += 30 * minutes - 1;
  expect(await read(unattended)).toBe(200);
  clock.now += 1;
  expect([await read(unattended), await read(mine)]).toEqual([401, 401]);
  const busy = await signIn();
  for (let used = 0; used < 479; used += 20) {
    clock.now += 20 * minutes - (used === 460 ? 1 : 0);
    expect([used, await read(busy)]).toEqual([used, 200]);
  }
  clock.now += 1;
  expect(await read(busy)).toBe(401);
});

test('sessions are listed and revoked with a key, and a revoked one is refused', async () => {
  const { send, signIn, events } = await world();
  const [mine, other] = [await signIn(), await signIn()];
  const list = await send('/console/sessions', { headers: { authorization } });
  const [{ id }, second] = list.body.sessions;
  expect(list.body.sessions[0]).toEqual({
    id,
    actor: `console:${id}`,
    scopes: ['admin'],
    createdAt: '2026-03-01T08:00:00.000Z',
    lastUsedAt: '2026-03-01T08:00:00.000Z',
    expiresAt: '2026-03-01T16:00:00.000Z',
    unlockedUntil: null,
  });
  const revoke = (headers: Record<string, string>) =>
    send(`/console/sessions/${id}`, { method: 'DELETE', headers });
  expect((await revoke({ authorization })).status).toBe(204);
  expect((await send('/skills', { headers: mine })).status).toBe(401);
  expect((await send('/skills', { headers: other })).status).toBe(200);
  expect(events.filter(({ kind }) => kind === 'console.closed')).toEqual([
    expect.objectContaining({ actor: 'key', session: `console:${id}`, reason: 'revoked' }),
  ]);
  expect((await revoke({ authorization })).body.code).toBe('SESSION_NOT_FOUND');
  expect((await revoke(other)).body.code).toBe('SESSION_NOT_FOUND');
  expect((await send('/console/session', { headers: { authorization } })).body.code).toBe(
    'SESSION_NOT_FOUND',
  );
  const left = await send('/console/sessions', { headers: other });
  expect(left.body.sessions.map((each: { id: string }) => each.id)).toEqual([second.id]);
});

test('a read-only session reads skills, prompts, the log and metrics, and can never be unlocked', async () => {
  const { send, signIn, code, events } = await world();
  const [mine, whole] = [await signIn(true), await signIn()];
  const scopes = ['skills:read', 'prompt', 'audit:read', 'metrics'];
  expect(events.filter(({ kind }) => kind === 'console.opened')).toMatchObject([
    { scopes },
    { scopes: ['admin'] },
  ]);
  expect((await send('/console/session', { headers: mine })).body).toMatchObject({ scopes });
  const codes = async (headers: Record<string, string>) => {
    const confirm = { method: 'POST', body: { code: await code('confirm') } };
    const found: Record<string, unknown> = {};
    for (const [path, options] of [
      ...['/skills', '/installs', '/audit', '/cluster/nodes'].map((path) => [path, {}] as const),
      ['/prompt', { method: 'POST', body: {} }],
      ...['/configuration', '/keys', '/console/sessions'].map((path) => [path, {}] as const),
      ['/console/session/unlock', confirm],
      ['/skills/counter/execute', run],
    ] as const) {
      const { status, body } = await send(path, { ...options, headers });
      found[path] = status === 200 ? status : body.code;
    }
    return found;
  };
  const read = { '/skills': 200, '/installs': 200, '/audit': 200, '/cluster/nodes': 200, '/prompt': 200 };
  const lacking = 'SCOPE_MISSING';
  expect(await codes(mine)).toEqual({
    ...read,
    '/configuration': lacking,
    '/keys': lacking,
    '/console/sessions': lacking,
    '/console/session/unlock': lacking,
    '/skills/counter/execute': lacking,
  });
  expect(await codes(whole)).toEqual({
    ...read,
    '/configuration': 200,
    '/keys': 200,
    '/console/sessions': 200,
    '/console/session/unlock': 200,
    '/skills/counter/execute': 200,
  });
  expect((await send('/keys', { headers: mine })).body.detail).toMatch(
    /^GET \/keys needs the scope admin, and the session console:\w+ is read-only: it has skills:read, .*Sign in with "ambit console", without --read-only$/,
  );
  expect((await send('/console/session', { method: 'DELETE', headers: mine })).status).toBe(204);
});

test('only the first key makes codes: neither a session nor another key with admin does', async () => {
  const { send, signIn, rights } = await world();
  const mine = await signIn();
  const ask = (headers: Record<string, string>) =>
    send('/console/codes', { method: 'POST', headers, body: { purpose: 'confirm' } });
  expect((await ask(mine)).body.code).toBe('SCOPE_MISSING');
  expect((await ask({ authorization })).status).toBe(200);
  rights.actor = 'operator';
  expect((await ask({ authorization })).body).toMatchObject({
    code: 'SCOPE_MISSING',
    detail: expect.stringContaining('only for the first key of the daemon, and this is operator;'),
  });
});

test('a key keeps working beside a cookie, and needs no step-up', async () => {
  const { send, signIn, events } = await world();
  const { cookie } = await signIn();
  const headers = { authorization, cookie };
  expect((await send('/skills/counter/execute', { ...run, headers })).status).toBe(200);
  expect(events.find(({ kind }) => kind === 'call.started')).toMatchObject({ actor: 'key' });
});

test('a session only reads until a code of a terminal unlocks it for 15 minutes', async () => {
  const { send, signIn, code, clock, events } = await world();
  const headers = await signIn();
  const changes: [string, string, object?][] = [
    ['POST', '/skills/counter/execute', { input: 1 }],
    ['POST', '/chain', { input: 1, steps: [{ skill: 'counter' }] }],
    ['POST', '/batch', { calls: [{ skill: 'counter', input: 1 }] }],
    ['POST', '/mcp', {}],
    ['DELETE', '/executions/e1'],
    ['POST', '/workspaces', {}],
    ['PUT', '/workspaces/w1/files/b.txt'],
    ['DELETE', '/workspaces/w1/files/a.txt'],
    ['DELETE', '/workspaces/w1'],
  ];
  for (const [method, path, body] of changes) {
    const answer = await send(path, { method, headers, ...(body && { body }) });
    expect([path, answer.status, answer.body.code]).toEqual([path, 403, 'CONFIRMATION_REQUIRED']);
    expect(answer.body.detail).toContain('run "ambit console confirm" in a terminal');
  }
  expect(kinds(events)).not.toContain('call.started');
  expect((await send('/prompt', { method: 'POST', headers, body: {} })).status).toBe(200);
  expect((await send('/workspaces', { headers })).status).toBe(200);

  const unlock = (given: string) =>
    send('/console/session/unlock', { method: 'POST', headers, body: { code: given } });
  expect((await unlock(await code('sign-in'))).body.code).toBe('CONFIRMATION_REQUIRED');
  const confirmed = await code('confirm');
  expect((await unlock(confirmed)).body.unlockedUntil).toBe('2026-03-01T08:15:00.000Z');
  expect((await unlock(confirmed)).body.code).toBe('CONFIRMATION_REQUIRED');
  expect(events.find(({ kind }) => kind === 'console.unlocked')).toMatchObject({
    until: start + 15 * minutes,
    confirmation: { digest: digestOf(confirmed), issuedAt: start },
  });
  const call = () => send('/skills/counter/execute', { ...run, headers });
  clock.now += 15 * minutes - 1;
  expect((await call()).status).toBe(200);
  expect(events.find(({ kind }) => kind === 'call.started')).toMatchObject({
    actor: expect.stringMatching(/^console:[0-9a-f]{12}$/),
  });
  clock.now += 1;
  expect((await call()).body.code).toBe('CONFIRMATION_REQUIRED');
});

test('each decision about installed skills needs a code of its own, also in an unlocked session', async () => {
  const requesters: Requester[] = [];
  const { send, signIn, code } = await world({
    installs: {
      remove: async (_ids, requester) => {
        requesters.push(requester);
        return { skills: [], refused: [] };
      },
    },
  });
  const headers = await signIn();
  await send('/console/session/unlock', { method: 'POST', headers, body: { code: await code('confirm') } });
  const decision = 'remove a';
  const remove = (more: Record<string, string>) =>
    send('/installs/remove', { method: 'POST', headers: { ...headers, ...more }, body: { skills: ['a'] } });
  const confirmed = { 'ambit-confirmation': await code('confirm', { decision }) };
  const codes = [
    (await remove({})).body.code,
    (await remove({ 'ambit-confirmation': 'x' })).body.code,
    (await remove({ 'ambit-confirmation': await code('sign-in') })).body.code,
    (await remove({ 'ambit-confirmation': await code('confirm') })).body.code,
    (await remove({ 'ambit-confirmation': await code('confirm', { decision: 'revoke a' }) })).body.code,
    (await remove(confirmed)).status,
    (await remove(confirmed)).body.code,
  ];
  const required = 'CONFIRMATION_REQUIRED';
  expect(codes).toEqual([required, required, required, required, required, 200, required]);
  const unlocking = { code: await code('confirm', { decision }) };
  expect(
    (await send('/console/session/unlock', { method: 'POST', headers, body: unlocking })).body.code,
  ).toBe(required);
  expect(requesters.map(({ actor, confirmation }) => ({ actor, confirmation }))).toEqual([
    {
      actor: expect.stringMatching(/^console:/),
      confirmation: { digest: digestOf(confirmed['ambit-confirmation']), issuedAt: start },
    },
  ]);
  const withKey = { method: 'POST', headers: { authorization }, body: { skills: ['a'] } };
  expect((await send('/installs/remove', withKey)).status).toBe(200);
  expect(requesters[1]?.confirmation).toBeUndefined();
});

const [digest, another] = ['sha256:d1', 'sha256:d2'];
const [until, later] = ['2026-03-02T08:00:00.000Z', '2026-03-03T08:00:00.000Z'];

/** Another request: one with other fields, or one to another path. */
type Other = object | [path: string, body: object];

/** By route: a request, the decision that it is, and requests that are other decisions. */
/** The actions that a code can confirm, as its refusal lists them. */
const actions = ['add', 'approve', 'outdated', 'packages', 'remove', 'restore', 'revoke', 'sync', 'update'];
const decisions: Record<string, [path: string, body: object, decision: string, others: Other[]]> = {
  addInstalled: [
    '/installs',
    { source: 'acme/skills#v1', skills: ['b', 'a'], namespace: 'acme' },
    'add acme/skills#v1 namespace=acme skills=a,b',
    [
      { source: 'evil/skills#v1' },
      { skills: ['b', 'a', 'c'] },
      { namespace: 'acne' },
      { skills: undefined, namespace: undefined },
    ],
  ],
  approveInstalled: [
    '/installs/acme:pdf/approve',
    { digest, review: 'r1', tier: 'local', until },
    `approve acme:pdf@${digest}@r1 tier=local until=${until}`,
    [
      ['/installs/acme:docx/approve', { digest, review: 'r1', tier: 'local', until }],
      { digest: another },
      { review: 'r2' },
      { tier: 'verified' },
      { until: later },
      { until: undefined },
      [
        `/installs/${encodeURIComponent(`acme:pdf@${digest}`)}/approve`,
        { digest: 'r1', tier: 'local', until },
      ],
    ],
  ],
  approveAllInstalled: [
    '/installs/approve',
    { skills: [{ id: 'b', digest: another }, reviewed(digest)], tier: 'verified' },
    `approve a@${digest}@r1 b@${another} tier=verified`,
    [
      { skills: [reviewed(digest)] },
      { skills: [{ id: 'b', digest }, reviewed(another)] },
      { tier: undefined },
    ],
  ],
  checkInstalled: [
    '/installs/outdated',
    { skills: ['b', 'a'] },
    'outdated a b',
    [{ skills: undefined }, { skills: ['a'] }],
  ],
  updateInstalled: [
    '/installs/update',
    {},
    'update skills=all',
    [{ skills: ['skills=all'] }, { skills: ['a'] }, ['/installs/outdated', {}]],
  ],
  syncInstalled: [
    '/installs/sync',
    { frozen: true },
    'sync skills=all frozen=true',
    [{ frozen: undefined }, ['/installs/update', {}]],
  ],
  lockInstalledPackages: [
    '/installs/acme:pdf/packages',
    { add: ['npm:d3@^7', 'PyYAML'] },
    'packages acme:pdf add="npm:d3@^7",PyYAML',
    [
      ['/installs/acme:docx/packages', { add: ['npm:d3@^7', 'PyYAML'] }],
      { add: ['npm:d3@^8', 'PyYAML'] },
      { add: undefined },
    ],
  ],
  revokeInstalled: [
    '/installs/revoke',
    { subject: 'publisher:acme', reason: 'sends data away' },
    'revoke publisher:acme reason="sends data away"',
    [{ subject: 'publisher:other' }, { reason: undefined }],
  ],
  restoreInstalled: [
    '/installs/restore',
    { subject: digest },
    `restore ${digest}`,
    [{ subject: another }, ['/installs/revoke', { subject: digest }]],
  ],
  removeInstalled: [
    '/installs/remove',
    { skills: ['b', 'a'] },
    'remove a b',
    [{ skills: ['a'] }, { skills: ['a b'] }, { skills: ['a', 'b', 'c'] }],
  ],
};

function reviewed(of: string): object {
  return { id: 'a', digest: of, review: 'r1' };
}

test('each route that needs a code of its own is among the decisions below, and in the list of actions', () => {
  const needing = contracts.filter((contract) => stepUpOf(contract) === 'confirm');
  expect(needing.map(({ id }) => id).sort()).toEqual(Object.keys(decisions).sort());
  const unlocking = contracts.filter((contract) => stepUpOf(contract) === 'unlock');
  expect(unlocking.map(({ method, url }) => `${method} ${url}`).sort()).toMatchInlineSnapshot(`
    [
      "DELETE /executions/:id",
      "DELETE /mcp",
      "DELETE /workspaces/:id",
      "DELETE /workspaces/:id/files/*",
      "POST /batch",
      "POST /chain",
      "POST /mcp",
      "POST /skills/:id/execute",
      "POST /workspaces",
      "PUT /workspaces/:id/files",
      "PUT /workspaces/:id/files/*",
    ]
  `);
  const confirmed = Object.values(decisions).map(([, , decision]) => decision.split(' ')[0]);
  expect([...new Set(confirmed)].sort()).toEqual(actions);
});

test.each(Object.entries(decisions))(
  '%s: a code confirms exactly the request that it names, and none with another object',
  async (_, [path, body, decision, others]) => {
    const made: unknown[] = [];
    const done = async (...given: unknown[]) => {
      made.push(given);
      throw new Refusal('LOCK_INVALID', 'the lock file is damaged');
    };
    const names = ['add', 'approve', 'approveAll', 'outdated', 'update', 'sync'] as const;
    const more = ['lockPackages', 'revoke', 'restore', 'remove'] as const;
    const installs = Object.fromEntries([...names, ...more].map((name) => [name, done]));
    const { send, signIn, code, events } = await world({ installs });
    const headers = await signIn();
    const decide = async (to: string, sent: object, confirmation?: string) =>
      (
        await send(to, {
          method: 'POST',
          body: sent,
          headers: { ...headers, ...(confirmation !== undefined && { 'ambit-confirmation': confirmation }) },
        })
      ).body;
    const asked = await decide(path, body);
    expect(asked.code).toBe('CONFIRMATION_REQUIRED');
    const shown = /run in a terminal: ambit console confirm (.*)$/.exec(asked.detail)?.[1] ?? '';
    expect(shown.replace(/^'(.*)'$/, '$1')).toBe(decision);
    for (const other of others) {
      const [to, sent] = Array.isArray(other) ? other : [path, { ...body, ...other }];
      const refused = await decide(to, sent, await code('confirm', { decision }));
      expect([to, sent, refused.code]).toEqual([to, sent, 'CONFIRMATION_REQUIRED']);
    }
    expect(made).toEqual([]);
    expect((await decide(path, body, await code('confirm', { decision }))).code).toBe('LOCK_INVALID');
    expect(made).toHaveLength(1);
    expect(events.filter(({ kind }) => kind === 'console.issued').at(-1)).toMatchObject({
      purpose: 'confirm',
      decision,
    });
  },
);

test('no code is issued for a decision without its object, and one for a decision with it', async () => {
  const { send } = await world();
  const issue = (decision: string) =>
    send('/console/codes', {
      method: 'POST',
      headers: { authorization },
      body: { purpose: 'confirm', decision },
    });
  const bare = actions.flatMap((action) => [action, `${action} `, `${action} tier=local`]);
  for (const decision of [...bare, 'approve acme:pdf', `approve a@${digest} b`, 'delete a', ' approve a@b'])
    expect([decision, (await issue(decision)).body.code]).toEqual([decision, 'REQUEST_INVALID']);
  expect((await issue('delete a')).body.detail).toContain(`one of ${actions.join(', ')}`);
  expect((await issue('restore')).body.detail).toContain('it does not say what to restore');
  for (const [, , decision] of Object.values(decisions))
    expect([decision, (await issue(decision)).status]).toEqual([decision, 200]);
});

test('with console: false, its routes do not exist and its sessions are refused', async () => {
  const { send, signIn, clock } = await world();
  const headers = await signIn();
  clock.isOn = false;
  const ask = { method: 'POST', headers: { authorization }, body: { purpose: 'sign-in' } };
  expect((await send('/console/codes', ask)).body).toMatchObject({
    code: 'ROUTE_NOT_FOUND',
    detail: expect.stringContaining('remove "console: false"'),
  });
  expect((await send('/skills', { headers })).status).toBe(401);
  expect((await send('/skills', { headers: { authorization } })).status).toBe(200);
  clock.isOn = true;
  expect((await send('/console/codes', ask)).status).toBe(200);
});
