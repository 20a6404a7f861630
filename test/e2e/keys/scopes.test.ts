// Threat model: T229, T233

// Tests that stop, restart or configure a daemon start their own; the others share one.

import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { revoke, withKey } from '../../../packages/server/src/testing/daemon-keys.ts';
import { sharedDaemon, startDaemon } from '../../support/daemon.ts';
import { ambit, type Daemon } from '../../support/daemon-process.ts';
import { laterRecords } from '../../support/later-records.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const daemon = sharedDaemon(async (path) => {
  await writeSkills(path, { seen: pythonSkill('print(1)'), unseen: pythonSkill('print(2)') });
  return { skills: [{ path, tier: 'local' }] };
});

test('a key works for its scopes from its creation until it is revoked', async () => {
  const bot = await keyFor(daemon(), 'bot', '--scope', 'skills:execute', '--skill', 'csv-profile');
  const records = await laterRecords(daemon());
  const call = (skill: string, key: string) =>
    as(daemon(), key, 'POST', `/skills/${skill}/execute`, {
      input: skill === 'csv-profile' ? { csv: 'a,b\n1,2\n' } : { text: 'x' },
    });

  expect(await call('csv-profile', bot)).toMatchObject({
    status: 200,
    body: { outcome: { status: 'succeeded' } },
  });
  expect(await call('text-redact', bot)).toMatchObject({ status: 404, body: { code: 'SKILL_NOT_FOUND' } });
  expect(await call('text-redact', daemon().key)).toMatchObject({ status: 200 });
  expect(await as(daemon(), bot, 'GET', '/skills')).toMatchObject({
    status: 403,
    body: { code: 'SCOPE_MISSING', detail: expect.stringContaining('needs the scope skills:read') },
  });
  expect(await records()).toMatchObject([
    { actor: 'bot', request: 'GET /skills', error: { code: 'SCOPE_MISSING' } },
    { actor: 'key', skill: { id: 'text-redact' }, outcome: 'succeeded' },
    { actor: 'bot', skill: { id: 'text-redact' }, error: { code: 'SKILL_NOT_FOUND' } },
    { actor: 'bot', skill: { id: 'csv-profile' }, outcome: 'succeeded' },
  ]);

  const revoked = await run(daemon(), 'revoke', 'bot');
  expect(revoked.stdout).toMatch(/^The key bot was revoked at \d{4}-/);
  expect(await call('csv-profile', bot)).toMatchObject({
    status: 401,
    body: { code: 'UNAUTHENTICATED', detail: expect.stringMatching(/^the key bot was revoked on /) },
  });
  expect(await call('csv-profile', daemon().key)).toMatchObject({ status: 200 });

  const file = join(daemon().dataDir, 'keys.db');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const written = [await readFile(file, 'latin1'), daemon().logged(), JSON.stringify(await daemon().audit())];
  expect(written.join('')).not.toContain(bot);
  expect((await run(daemon(), 'list')).stdout).toMatch(
    /^first +good +admin\n(?:.*\n)*bot +revoked +skills:execute; skills csv-profile; revoked /,
  );
});

test('a key that reads the log of some skills sees only their records and its own, in every answer', async () => {
  const rights = { scopes: ['audit:read' as const, 'skills:execute' as const], skills: ['seen'] };
  const reader = (await withKey(daemon(), 'reader', rights)).key;
  const all = await laterRecords(daemon());
  await daemon().execute('seen', { input: 1 });
  const hidden = (await daemon().execute('unseen', { input: 1 })).body.executionId;
  const own = (await as(daemon(), reader, 'POST', '/skills/unseen/execute', { input: 1 })).body.executionId;

  const get = (path: string, key = reader) => as(daemon(), key, 'GET', path);
  const { records } = (await get('/audit')).body;
  expect(records.map(({ actor, skill }: Record<string, { id: string }>) => [actor, skill?.id])).toEqual([
    ['reader', 'unseen'],
    ['key', 'seen'],
  ]);
  expect(await all()).toHaveLength(3);
  expect((await get('/audit/count')).body).toEqual({ count: 2 });
  expect(await get(`/audit/${own}`)).toMatchObject({ status: 200 });
  for (const path of [`/audit/${hidden}`, `/audit/${hidden}/receipt`])
    expect(await get(path)).toMatchObject({ status: 404, body: { code: 'RECORD_NOT_FOUND' } });
  expect(await get(`/audit/${hidden}/receipt`, daemon().key)).toMatchObject({ status: 200 });
  expect((await get('/audit/stats')).body.bySkill).toMatchObject([{ skill: 'seen', calls: 1 }]);
  expect(await get('/audit/verify')).toMatchObject({ status: 403, body: { code: 'SCOPE_MISSING' } });
  expect((await exported(daemon(), reader)).map(({ actor }) => actor)).toEqual([
    'key',
    'reader',
    'reader',
    'reader',
    'reader',
  ]);
});

test('a follower of the log gets only the records of its key, and none after the key is revoked', async () => {
  const follower = (await withKey(daemon(), 'follower', { scopes: ['audit:read'], skills: ['csv-profile'] }))
    .key;
  const response = await fetch(`${daemon().url}/audit/follow`, { headers: bearer(follower) });
  const text = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (text === undefined) throw new Error('the answer has a body');
  let read = '';
  const until = async (sought: string): Promise<void> => {
    while (!read.includes(sought)) {
      const { value, done } = await text.read();
      if (done) return;
      read += value;
    }
  };
  await until(': following');
  await daemon().execute('text-redact', { input: { text: 'x' } });
  await daemon().execute('csv-profile', { input: { csv: 'a\n1\n' } });
  await until('event: call.finished');
  expect(read).toContain('csv-profile');
  expect(read).not.toContain('text-redact');
  await revoke(daemon(), 'follower');
  await daemon().execute('csv-profile', { input: { csv: 'a\n1\n' } });
  await until('there is no such word: it reads to the end');
  expect(read.split('event: call.started')).toHaveLength(2);
});

test('a key over its rate is refused with a retry time; another key is not', async () => {
  const { key: slow } = await withKey(daemon(), 'slow', { scopes: ['skills:read'], ratePerMinute: 2 });
  for (const status of [200, 200, 429])
    expect(await as(daemon(), slow, 'GET', '/skills/csv-profile')).toMatchObject({ status });
  const limited = await fetch(`${daemon().url}/skills`, { headers: bearer(slow) });
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await limited.json()).toMatchObject({ code: 'RATE_LIMITED' });
  expect(await daemon().audit('?actor=slow&limit=1')).toMatchObject([{ error: { code: 'RATE_LIMITED' } }]);
  expect(await as(daemon(), daemon().key, 'GET', '/skills')).toMatchObject({ status: 200 });
});

test("a key's ceiling applies to a real call", async () => {
  const folder = await temporaryFolder();
  await writeFile(
    join(folder, 'ceiling.yaml'),
    'limits: { timeoutMs: 1234 }\ncapabilities: { network: [] }\n',
  );
  const file = join(folder, 'ceiling.yaml');
  const bounded = await keyFor(daemon(), 'bounded', '--scope', 'skills:execute', '--ceiling', file);
  const body = { input: { csv: 'a\n1\n' }, limits: { timeoutMs: 5000 } };
  expect(await as(daemon(), bounded, 'POST', '/skills/csv-profile/execute', body)).toMatchObject({
    status: 200,
  });
  expect(await daemon().audit('?limit=1')).toMatchObject([{ actor: 'bounded', limits: { timeoutMs: 1234 } }]);
});

test('an expired key is refused as expired; a corrupt key file prevents a start but does not stop a running daemon', async () => {
  const daemon = await startDaemon();
  const bot = await expiringKey(daemon);
  await vi.waitFor(
    async () =>
      expect(await as(daemon, bot, 'GET', '/skills')).toMatchObject({
        status: 401,
        body: { detail: expect.stringMatching(/^the key bot\d+ expired on \d{4}-.*; /) },
      }),
    { interval: 500 },
  );

  const file = join(daemon.dataDir, 'keys.db');
  await writeFile(file, 'no database');
  expect(await as(daemon, daemon.key, 'GET', '/skills')).toMatchObject({ status: 200 });
  expect(daemon.logged()).toMatch(/cannot read the keys; the previous ones remain valid/);
  await daemon.stop();
  await expect(startDaemon({}, { dataDir: daemon.dataDir })).rejects.toThrow(
    /KEY_UNUSABLE: cannot read the keys' file .*keys\.db: it is damaged; .*restore a backup or remove it/,
  );
  await rm(file);
  const again = await startDaemon({}, { dataDir: daemon.dataDir });
  expect(await as(again, again.key, 'GET', '/skills')).toMatchObject({ status: 200 });
});

function run({ dataDir }: Daemon, ...words: string[]): ReturnType<typeof ambit> {
  return ambit(['key', ...words, '--data-dir', dataDir]);
}

/** A key that is accepted, and expires some seconds after it was created: more if its first request took longer. */
async function expiringKey(daemon: Daemon): Promise<string> {
  for (let seconds = 5; ; seconds *= 3) {
    const expiresAt = new Date(Date.now() + seconds * 1000).toISOString();
    const { key } = await withKey(daemon, `bot${seconds}`, { scopes: ['skills:read'], expiresAt });
    if ((await as(daemon, key, 'GET', '/skills')).status === 200) return key;
    if (seconds > 600) throw new Error('no key was accepted');
  }
}

async function keyFor(daemon: Daemon, name: string, ...flags: string[]): Promise<string> {
  const made = await run(daemon, 'create', name, ...flags);
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ambit_[A-Za-z0-9_-]{43}\n$/) });
  return made.stdout.trim();
}

function bearer(key: string): { authorization: string } {
  return { authorization: `Bearer ${key}` };
}

function as(daemon: Daemon, key: string, method: string, path: string, body?: unknown) {
  return daemon.request(method, path, { headers: bearer(key), ...(body === undefined ? {} : { body }) });
}

/** The records that it may export, which now include its refusals. */
async function exported(daemon: Daemon, key: string): Promise<{ actor: string }[]> {
  const response = await fetch(`${daemon.url}/audit/export`, { headers: bearer(key) });
  return (await response.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}
