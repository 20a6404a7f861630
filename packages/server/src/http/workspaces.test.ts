// Threat model: T280, T286, T340, T341

import { SkillError } from '@ambit/core';
import type { AuditEvent } from '@ambit/core/audit';
import type { RunResult } from '@ambit/core/execute';
import { expect, test } from 'vitest';
import { answered, authorization, type HttpWorldOptions, httpWorld, skillOf } from './testing/http-world.ts';

const headers = { host: 'localhost:7433', authorization };
const workspace = 'capabilities: { filesystem: { write: [workspace] } }';
const skills = [
  skillOf('keeper', `run: { runtime: process, entry: a.py, ${workspace} }`),
  skillOf('counter', 'run: { runtime: wasm, entry: a.wasm }'),
];

/** This executor leaves `b.txt`. */
const leaving: HttpWorldOptions = {
  skills,
  enforces: ['filesystem.write'],
  execute: async () => ({
    ...answered,
    files: [{ path: 'b.txt', change: 'created', bytes: 3, content: Buffer.from('two') }],
  }),
};

const call = { method: 'POST', url: '/skills/keeper/execute', headers } as const;
const payload = { input: 1, workspace: 'w1' };

async function paths({ app }: ReturnType<typeof httpWorld>): Promise<string[]> {
  const { files } = (await app.inject({ url: '/workspaces/w1', headers })).json();
  return files.map(({ path }: { path: string }) => path);
}

test("a run's changes are stored once its record has ended, and not if the record cannot be written", async () => {
  const fault = (event: AuditEvent): void => {
    if (event.kind === 'call.finished') throw new SkillError('AUDIT_UNAVAILABLE', 'the disk is full');
  };
  const [full, well] = [httpWorld({ ...leaving, append: fault }), httpWorld(leaving)];
  const refused = await full.app.inject({ ...call, payload });
  expect([refused.statusCode, await paths(full)]).toEqual([503, ['a.txt']]);
  const saved = await well.app.inject({ ...call, payload });
  expect([saved.json().workspace, await paths(well)]).toEqual([
    { id: 'w1', stored: true, usedBytes: 6 },
    ['a.txt', 'b.txt'],
  ]);
  expect(well.events.find(({ kind }) => kind === 'call.started')).toMatchObject({ workspace: 'w1' });
});

test.each([
  ['POST', '/workspaces', 'workspace.created'],
  ['PUT', '/workspaces/w1/files/b', 'workspace.written'],
  ['DELETE', '/workspaces/w1/files/a.txt', 'workspace.written'],
  ['DELETE', '/workspaces/w1', 'workspace.deleted'],
] as const)(
  '%s %s is recorded before it happens, and does not happen if that fails',
  async (method, url, kind) => {
    const fault = (event: AuditEvent): void => {
      if (event.kind === kind) throw new SkillError('AUDIT_UNAVAILABLE', 'the disk is full');
    };
    const state = async ({ app }: ReturnType<typeof httpWorld>) => {
      const all = (await app.inject({ url: '/workspaces', headers })).json().workspaces;
      return all.map(({ id, fileCount }: { id: string; fileCount: number }) => [id, fileCount]);
    };
    const full = httpWorld({ append: fault });
    const refused = await full.app.inject({ method, url, headers });
    expect([refused.statusCode, await state(full)]).toEqual([503, [['w1', 1]]]);
    const well = httpWorld();
    expect((await well.app.inject({ method, url, headers })).statusCode).toBeLessThan(300);
    expect(await state(well)).not.toEqual([['w1', 1]]);
    expect(well.events).toEqual([expect.objectContaining({ kind, actor: 'tester' })]);
  },
);

test('a call that waits for a workspace delays no other, and too many waiting calls are refused', async () => {
  const release = Promise.withResolvers<RunResult>();
  const begun = Promise.withResolvers<void>();
  const world = httpWorld({
    ...leaving,
    queue: { concurrency: 2, queue: 0 },
    execute: (input) => {
      if ((input as { value: unknown }).value === 'other') return Promise.resolve(answered);
      begun.resolve();
      return release.promise;
    },
  });
  const waiting = Array.from({ length: 17 }, () => world.app.inject({ ...call, payload }));
  await begun.promise;
  expect((await world.app.inject({ ...call, payload: { input: 'other' } })).statusCode).toBe(200);
  const refused = (await world.app.inject({ ...call, payload })).json();
  expect([refused.code, refused.status]).toEqual(['WORKSPACE_BUSY', 409]);
  release.resolve(answered);
  const codes = (await Promise.all(waiting)).map(({ statusCode }) => statusCode);
  expect(codes).toEqual(Array(17).fill(200));
});

test("files that wait for a workspace or are being read count towards their key's bytes", async () => {
  const release = Promise.withResolvers<RunResult>();
  const begun = Promise.withResolvers<void>();
  const world = httpWorld({
    ...leaving,
    // The call takes 656 bytes.
    executions: { bodyBytes: { totalMax: 748, eachMax: 748 } },
    execute: () => {
      begun.resolve();
      return release.promise;
    },
  });
  const put = {
    method: 'PUT',
    url: '/workspaces/w1/files/c',
    payload: Buffer.alloc(90),
    headers: { ...headers, 'content-type': 'application/octet-stream' },
  } as const;
  const get = { url: '/workspaces/w1/files/a.txt', headers };
  const running = world.app.inject({ ...call, payload });
  await begun.promise;
  const waiting = world.app.inject(put);
  // It waits behind the earlier call.
  await world.app.inject({ url: '/healthz', headers });
  expect((await world.app.inject(put)).json()).toMatchObject({ status: 503, code: 'OVERLOADED' });
  expect((await world.app.inject(get)).json()).toMatchObject({ status: 503, code: 'OVERLOADED' });
  release.resolve(answered);
  expect([(await running).statusCode, (await waiting).statusCode]).toEqual([200, 201]);
  expect((await world.app.inject(get)).statusCode).toBe(200);
});

test('at most three calls of a batch run or wait at the same time', async () => {
  let [running, highest] = [0, 0];
  const world = httpWorld({
    skills,
    execute: async () => {
      running += 1;
      highest = Math.max(highest, running);
      await new Promise(setImmediate);
      running -= 1;
      return answered;
    },
  });
  const payload = { calls: Array.from({ length: 12 }, () => ({ skill: 'counter', input: 1 })) };
  const { results } = (await world.app.inject({ method: 'POST', url: '/batch', headers, payload })).json();
  expect([results.length, highest]).toEqual([12, 3]);
});

test('a batch returns a limited number of bytes of files, and reports what it leaves out', async () => {
  const mebibytes = Buffer.alloc(9 * 1024 * 1024, 'x');
  const world = httpWorld({
    ...leaving,
    execute: async () => ({
      ...answered,
      files: [{ path: 'big', change: 'created', bytes: mebibytes.length, content: mebibytes }],
    }),
  });
  const payload = { stopOnFailure: true, calls: Array(2).fill({ skill: 'keeper', input: 1 }) };
  const { results } = (await world.app.inject({ method: 'POST', url: '/batch', headers, payload })).json();
  const [first, second] = results.map(({ answer }: { answer: { files: object[] } }) => answer.files[0]);
  expect(first).toMatchObject({ path: 'big', text: mebibytes.toString() });
  expect(second).toEqual({
    path: 'big',
    change: 'created',
    bytes: mebibytes.length,
    omitted: 'over the limit of 16777216 bytes for all files',
  });
});

test('a batch returns a limited response, and reports the outcomes of the other calls', async () => {
  const output = '\u0001'.repeat(6 * 1024 * 1024);
  const world = httpWorld({
    skills,
    execute: async () => ({ ...answered, outcome: { status: 'succeeded', output } }),
  });
  const payload = { stopOnFailure: true, calls: Array(2).fill({ skill: 'counter', input: 1 }) };
  const answer = await world.app.inject({ method: 'POST', url: '/batch', headers, payload });
  const [first, second] = answer.json().results;
  expect(first).toMatchObject({ status: 200, answer: { outcome: { output } } });
  expect(second).toEqual({
    status: 200,
    omitted: { executionId: 'e3', outcome: 'succeeded', audit: { sequence: 4, hash: 'sha256:h' } },
  });
});

test('a failure to store data is an internal error of that call alone, and its cause is in the log', async () => {
  const world = httpWorld({ ...leaving, workspaceFault: new Error('the disk is gone') });
  const calls = [
    { skill: 'keeper', ...payload },
    { skill: 'counter', input: 1 },
  ];
  const answer = await world.app.inject({ method: 'POST', url: '/batch', headers, payload: { calls } });
  expect(answer.json().results).toMatchObject([
    { status: 500, problem: { code: 'INTERNAL', executionId: 'e2' } },
    { status: 200, answer: { outcome: { status: 'succeeded' } } },
  ]);
  expect(await paths(world)).toEqual(['a.txt']);
  expect(world.lines[0]).toMatchObject({
    level: 50,
    executionId: 'e2',
    code: 'INTERNAL',
    msg: 'execution',
    err: { type: 'Error', stack: expect.stringContaining('the disk is gone') },
  });
  expect(answer.body).not.toContain('the disk is gone');
});
