import { execFileSync } from 'node:child_process';
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { resultOf, textOf } from '../../testing/job-responses.ts';
import { jobBounds } from '../job-bounds.ts';
import type { JobResponse } from '../job-response.ts';
import { openJobs } from '../jobs.ts';
import { openClaimFiles } from './claim-files.ts';
import { type ClaimBounds, claimBounds } from './claim-sums.ts';
import { type ClaimResult, idempotency } from './idempotency.ts';
import { keyedCall } from './keyed-call.ts';

const use = {
  actor: 'ada',
  route: 'POST /skills/:id/execute',
  key: 'k1',
  fingerprint: 'asked for a',
};

async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ambit-idempotency-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'idempotency');
}

/** Opens claims like a daemon. Opening the same folder again is a restart. */
async function opened(folder: string, bounds: Partial<ClaimBounds> = {}, bodyBytes = jobBounds.bodyBytes) {
  let [time, runs] = [Date.now(), 0];
  const lost: unknown[] = [];
  const jobs = openJobs({ ...jobBounds, bodyBytes }, new AbortController().signal, () => time);
  const kept = idempotency({
    files: await openClaimFiles(folder, { ...claimBounds, ...bounds }),
    retentionMs: 1000,
    now: () => time,
    hold: jobs.hold,
    onLost: (_, cause) => lost.push(cause),
  });
  return {
    lost,
    runs: () => runs,
    pass: (ms: number) => {
      time += ms;
    },
    sweep: kept.sweep,
    claim: (
      executionId: string,
      over: Partial<typeof use> = {},
      run: () => Promise<JobResponse> = async () => resultOf(`"${executionId}"`),
    ) =>
      kept.claim(keyedCall({ ...use, ...over }, executionId), (store) => {
        runs += 1;
        const job = jobs.open({ executionId, skillId: 'a', actor: 'ada', lifetime: { kind: 'detached' } });
        void run().then(async (response) => {
          await store(response);
          job.finish(response);
        });
        return job;
      }),
  };
}

async function ended(claimed: ClaimResult): Promise<[ClaimResult['is'], string]> {
  return claimed.is === 'answered'
    ? [claimed.is, textOf(claimed.response)]
    : [claimed.is, textOf(await claimed.job.ended)];
}

test('returns the first response to a repeated call, even after a restart', async () => {
  const folder = await temporary();
  const first = await opened(folder);
  expect(await ended(await first.claim('e1'))).toEqual(['new', '"e1"']);
  expect(await ended(await first.claim('e2'))).toEqual(['answered', '"e1"']);
  const second = await opened(folder);
  expect(await second.claim('e3')).toEqual({ is: 'answered', executionId: 'e1', response: resultOf('"e1"') });
  expect([first.runs(), second.runs()]).toEqual([1, 0]);
});

test('runs one of many simultaneous calls, and returns its response to all', async () => {
  const { claim, runs } = await opened(await temporary());
  const all = await Promise.all(Array.from({ length: 20 }, (_, index) => claim(`e${index}`)));
  expect(await Promise.all(all.map(ended))).toEqual([
    ['new', '"e0"'],
    ...Array(19).fill(['running', '"e0"']),
  ]);
  expect(runs()).toBe(1);
});

test('refuses a key with another request, while the first runs and after it', async () => {
  const over = { fingerprint: 'asked for b' };
  const { claim, runs } = await opened(await temporary());
  const end = Promise.withResolvers<void>();
  const first = await claim('e1', {}, async () => {
    await end.promise;
    return resultOf('1');
  });
  const refusal = {
    code: 'IDEMPOTENCY_KEY_REUSED',
    executionId: 'e1',
    message: expect.stringContaining('was used for a different request'),
  };
  await expect(claim('e2', over)).rejects.toMatchObject(refusal);
  end.resolve();
  await ended(first);
  await expect(claim('e3', over)).rejects.toMatchObject(refusal);
  expect(runs()).toBe(1);
});

test.each([
  ['caller', { actor: 'bob' }],
  ['route', { route: 'POST /chain' }],
  ['key', { key: 'k2' }],
])('treats the same key with another %s as a different key', async (_, over) => {
  const { claim, runs } = await opened(await temporary());
  await ended(await claim('e1'));
  expect(await ended(await claim('e2', over))).toEqual(['new', '"e2"']);
  expect(runs()).toBe(2);
});

test('frees the key of a call that did not run', async () => {
  const folder = await temporary();
  const { claim, runs } = await opened(folder);
  const refused: JobResponse = {
    ...resultOf('{}'),
    kind: 'problem',
    status: 503,
    outcome: 'OVERLOADED',
    ran: false,
  };
  await ended(await claim('e1', {}, async () => refused));
  expect(await readdir(folder)).toEqual([]);
  expect(await ended(await claim('e2'))).toEqual(['new', '"e2"']);
  expect(runs()).toBe(2);
});

test('frees the key of a call that could not start', async () => {
  const folder = await temporary();
  const files = await openClaimFiles(folder, claimBounds);
  const kept = idempotency({
    files,
    retentionMs: 1000,
    now: () => 0,
    hold: () => () => undefined,
    onLost: () => undefined,
  });
  await expect(
    kept.claim(keyedCall(use, 'e1'), () => {
      throw new Error('no room');
    }),
  ).rejects.toThrow('no room');
  expect(await readdir(folder)).toEqual([]);
});

test('does not run an interrupted call again, and names its record', async () => {
  const folder = await temporary();
  const first = await opened(folder);
  await first.claim('e1', {}, () => new Promise(() => undefined));
  // The first call leaves a claim without a response, like a killed daemon.
  const second = await opened(folder);
  await expect(second.claim('e2')).rejects.toMatchObject({
    code: 'IDEMPOTENCY_INTERRUPTED',
    executionId: 'e1',
    message: expect.stringMatching(/GET \/executions\/e1\. To run it again, use another key/),
  });
  expect(await ended(await second.claim('e3', { key: 'k2' }))).toEqual(['new', '"e3"']);
});

test('frees a key after its retention, and removes its file', async () => {
  const folder = await temporary();
  const { claim, sweep, pass } = await opened(folder);
  await ended(await claim('e1'));
  const [file = ''] = await readdir(folder);
  await sweep();
  expect(await readdir(folder)).toEqual([file]);
  pass(1001);
  expect(await ended(await claim('e2'))).toEqual(['new', '"e2"']);
  await utimes(join(folder, file), 1, 1);
  await sweep();
  expect(await readdir(folder)).toEqual([]);
});

test('a sweep preserves running calls and removes drafts', async () => {
  const folder = await temporary();
  const { claim, sweep } = await opened(folder);
  await claim('e1', {}, () => new Promise(() => undefined));
  const [file = ''] = await readdir(folder);
  await utimes(join(folder, file), 1, 1);
  const draft = `${'a'.repeat(16)}-${'b'.repeat(64)}.json.new`;
  await writeFile(join(folder, draft), '{');
  await sweep();
  expect(await readdir(folder)).toEqual([file]);
});

test('writes files that only their owner can read and that contain neither key nor caller', async () => {
  const folder = await temporary();
  const { claim } = await opened(folder);
  await ended(await claim('e1', { key: 'very-secret-key' }));
  const [file = ''] = await readdir(folder);
  const modes = [folder, join(folder, file)].map(async (path) => (await stat(path)).mode & 0o777);
  expect(await Promise.all(modes)).toEqual([0o700, 0o600]);
  expect(file).toMatch(/^[0-9a-f]{16}-[0-9a-f]{64}\.json$/);
  expect(await readFile(join(folder, file), 'utf8')).not.toMatch(/very-secret-key|ada/);
});

test.each<[string, Partial<ClaimBounds>]>([
  ['the maximum of claims', { countMax: 1 }],
  ['the maximum of claims of one caller', { ownerCountMax: 1 }],
  ['as many bytes as may be', { bytesMax: 1 }],
  ['the maximum of bytes of one caller', { ownerBytesMax: 1 }],
])('refuses a new key with %s on disk, runs nothing, and still answers a known key', async (_, bounds) => {
  const folder = await temporary();
  await ended(await (await opened(folder)).claim('e1'));
  const { claim, runs } = await opened(folder, bounds);
  await expect(claim('e2', { key: 'k2' })).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringMatching(/Nothing has run\. Send the call without Idempotency-Key/),
  });
  expect(await ended(await claim('e3'))).toEqual(['answered', '"e1"']);
  expect(runs()).toBe(0);
});

test('a caller at its limit does not affect other callers', async () => {
  const { claim } = await opened(await temporary(), { ownerCountMax: 1 });
  await ended(await claim('e1'));
  await expect(claim('e2', { key: 'k2' })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  expect(await ended(await claim('e3', { actor: 'bob' }))).toEqual(['new', '"e3"']);
});

/** The length of a response of which two, with their claims, fit into 10,000 bytes on disk. */
const longText = `"${'x'.repeat(4000)}"`;

async function bytesIn(folder: string): Promise<number> {
  const sizes = (await readdir(folder)).map(async (file) => (await stat(join(folder, file))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

test("a response that exceeds its caller's limit replaces the caller's oldest, which does not run again", async () => {
  const folder = await temporary();
  const bounds = { ownerBytesMax: 10_000 };
  const { claim, runs, lost } = await opened(folder, bounds);
  const long = async () => resultOf(longText);
  for (const key of ['k1', 'k2', 'k3']) await ended(await claim(`e-${key}`, { key }, long));
  expect(await bytesIn(folder)).toBeLessThanOrEqual(10_000);
  const gone = {
    code: 'IDEMPOTENCY_INTERRUPTED',
    executionId: 'e-k1',
    message: expect.stringContaining('is not stored, but the call may have run'),
  };
  for (const { claim: again } of [{ claim }, await opened(folder, bounds)]) {
    await expect(again('e4', { key: 'k1' })).rejects.toMatchObject(gone);
    expect(await ended(await again('e5', { key: 'k2' }))).toEqual(['answered', longText]);
    expect(await ended(await again('e6', { key: 'k3' }))).toEqual(['answered', longText]);
  }
  expect([runs(), lost]).toEqual([3, []]);
});

test('knows the oldest responses after a restart', async () => {
  const folder = await temporary();
  const bounds = { ownerBytesMax: 10_000 };
  const long = async () => resultOf(longText);
  const first = await opened(folder, bounds);
  for (const key of ['k1', 'k2']) await ended(await first.claim(`e-${key}`, { key }, long));
  const { owner, name } = keyedCall({ ...use, key: 'k2' }, '');
  await utimes(join(folder, `${owner}-${name}.json`), 1, 1);
  const second = await opened(folder, bounds);
  await ended(await second.claim('e-k3', { key: 'k3' }, long));
  expect(await ended(await second.claim('e4', { key: 'k1' }))).toEqual(['answered', longText]);
  await expect(second.claim('e5', { key: 'k2' })).rejects.toMatchObject({ executionId: 'e-k2' });
});

test('keeps many simultaneous responses within the limits, with space for another caller', async () => {
  const folder = await temporary();
  const { claim, runs, lost } = await opened(folder, { ownerBytesMax: 20_000, bytesMax: 25_000 });
  const begun = await Promise.all(
    Array.from({ length: 24 }, (_, index) =>
      claim(`e${index}`, { key: `k${index}` }, async () => resultOf(longText)),
    ),
  );
  await Promise.all(begun.map(ended));
  expect(await bytesIn(folder)).toBeLessThanOrEqual(20_000);
  const bob = { actor: 'bob' };
  expect(await ended(await claim('b1', bob, async () => resultOf(longText)))).toEqual(['new', longText]);
  expect(await ended(await claim('b2', bob))).toEqual(['answered', longText]);
  expect([runs(), lost]).toEqual([25, []]);
});

test('removes the oldest response of the caller with the most bytes when the total is reached', async () => {
  const folder = await temporary();
  const { claim } = await opened(folder, { bytesMax: 15_000 });
  const long = async () => resultOf(longText);
  await ended(await claim('b1', { actor: 'bob' }, long));
  for (const key of ['k1', 'k2']) await ended(await claim(`e-${key}`, { key }, long));
  await ended(await claim('c1', { actor: 'carol' }, long));
  expect(await bytesIn(folder)).toBeLessThanOrEqual(15_000);
  await expect(claim('e4', { key: 'k1' })).rejects.toMatchObject({ executionId: 'e-k1' });
  for (const over of [{ actor: 'bob' }, { actor: 'carol' }, { key: 'k2' }])
    expect(await ended(await claim('e5', over))).toEqual(['answered', longText]);
});

test('returns a response that would not fit even alone, and removes no other', async () => {
  const { claim, lost, runs } = await opened(await temporary(), { ownerBytesMax: 10_000 });
  await ended(await claim('e1', {}, async () => resultOf(longText)));
  const huge = `"${'x'.repeat(20_000)}"`;
  expect(await ended(await claim('e2', { key: 'k2' }, async () => resultOf(huge)))).toEqual(['new', huge]);
  expect(lost).toMatchObject([{ message: 'the limits for stored responses are reached' }]);
  await expect(claim('e3', { key: 'k2' })).rejects.toMatchObject({
    code: 'IDEMPOTENCY_INTERRUPTED',
    executionId: 'e2',
  });
  expect(await ended(await claim('e4'))).toEqual(['answered', longText]);
  expect(runs()).toBe(2);
});

const mebibyte = 1024 * 1024;
const largeText = `"${'x'.repeat(2 * mebibyte)}"`;

/** Three calls of one caller and one of another that end together, and their repeated responses, the other caller's last. */
async function endedTogether(eachMax: number, text: string) {
  const world = await opened(await temporary(), {}, { totalMax: 64 * mebibyte, eachMax });
  const end = Promise.withResolvers<void>();
  const keys = ['k1', 'k2', 'k3'];
  const call = (key: string, over: Partial<typeof use> = {}) =>
    world.claim(`e-${key}`, { key, ...over }, async () => {
      await end.promise;
      return resultOf(text);
    });
  const begun = await Promise.all(keys.map((key) => call(key)));
  const other = await call('k1', { actor: 'bob' });
  end.resolve();
  expect(await Promise.all([...begun, other].map(ended))).toEqual(Array(4).fill(['new', text]));
  const again = await Promise.allSettled([...keys.map((key) => call(key)), call('k1', { actor: 'bob' })]);
  const said = again.map((one) => (one.status === 'fulfilled' ? one.value.is : String(one.reason.code)));
  // The order of the three is not defined.
  return { ...world, again: [...said.slice(0, 3).sort(), said[3]] };
}

test('limits the memory of large responses that wait to be stored; the rest are returned but not stored', async () => {
  const { again, lost, runs, claim } = await endedTogether(5 * mebibyte, largeText);
  expect(again).toEqual(['IDEMPOTENCY_INTERRUPTED', 'answered', 'answered', 'answered']);
  expect(lost).toMatchObject([{ code: 'OVERLOADED' }]);
  expect(runs()).toBe(4);
  // Their memory is free again.
  await ended(await claim('e5', { key: 'k5' }, async () => resultOf(largeText)));
  expect(await ended(await claim('e6', { key: 'k5' }))).toEqual(['answered', largeText]);
});

test.each([
  ['large answers for which there is memory', 64 * mebibyte, largeText],
  ['small answers, however little memory there is,', 1, longText],
])('stores %s that arrive together', async (_, eachMax, text) => {
  const { again, lost } = await endedTogether(eachMax, text);
  expect([again, lost]).toEqual([Array(4).fill('answered'), []]);
});

test('runs nothing while claims cannot be written, and runs again once they can', async () => {
  const folder = await temporary();
  const { claim, runs } = await opened(folder);
  await writeFile(folder, 'a file where the folder would be');
  await expect(claim('e1')).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    cause: { code: expect.stringMatching(/ENOTDIR|EEXIST/) },
  });
  expect(runs()).toBe(0);
  await rm(folder);
  expect(await ended(await claim('e2'))).toEqual(['new', '"e2"']);
});

test('runs nothing and overwrites nothing if a link is in the place of a claim', async () => {
  const folder = await temporary();
  const { claim, runs } = await opened(folder);
  await mkdir(folder);
  const { owner, name } = keyedCall(use, 'e1');
  const victim = join(folder, 'victim');
  await writeFile(victim, 'whole');
  await symlink(victim, join(folder, `${owner}-${name}.json.new`));
  await expect(claim('e1')).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    cause: { code: 'ELOOP' },
  });
  expect([runs(), await readFile(victim, 'utf8')]).toEqual([0, 'whole']);
});

test('returns a response that cannot be stored, and refuses a repeated call', async () => {
  const folder = await temporary();
  const { claim, lost } = await opened(folder);
  const first = await claim('e1', {}, async () => {
    const { owner, name } = keyedCall(use, 'e1');
    await symlink('/dev/full', join(folder, `${owner}-${name}.json.new`));
    return resultOf('1');
  });
  expect(await ended(first)).toEqual(['new', '1']);
  expect(lost).toMatchObject([{ code: 'ELOOP' }]);
  await expect(claim('e2')).rejects.toMatchObject({ code: 'IDEMPOTENCY_INTERRUPTED', executionId: 'e1' });
});

test('refuses a pipe in the place of a claim or its draft without waiting, and runs nothing', async () => {
  const folder = await temporary();
  const { claim, runs } = await opened(folder);
  await mkdir(folder);
  const { owner, name } = keyedCall(use, 'e1');
  const [file, unused] = [join(folder, `${owner}-${name}.json`), join(folder, 'unused')];
  execFileSync('mkfifo', [file, `${file}.new`]);
  const refusal = { code: 'STORE_UNAVAILABLE' };
  await expect(claim('e1')).rejects.toMatchObject({
    ...refusal,
    cause: { message: expect.stringContaining('it is a pipe') },
  });
  await rename(file, unused);
  await expect(claim('e2')).rejects.toMatchObject({ ...refusal, cause: { code: 'ENXIO' } });
  expect(runs()).toBe(0);
  expect(await ended(await claim('e3'))).toEqual(['new', '"e3"']);
});

test('reads a response of the former version, and refuses a truncated one', async () => {
  const folder = await temporary();
  const { claim, runs } = await opened(folder);
  const { owner, name, fingerprint } = keyedCall(use, 'e1');
  const file = join(folder, `${owner}-${name}.json`);
  const ending = { kind: 'result', status: 200, headers: {}, outcome: 'succeeded', ran: true };
  const head = { executionId: 'e0', fingerprint, claimedAt: Date.now() };
  await mkdir(folder);
  await writeFile(file, JSON.stringify({ version: 1, ...head, ending: { ...ending, text: '"ä"' } }));
  expect(await ended(await claim('e1'))).toEqual(['answered', '"ä"']);
  const line = JSON.stringify({ version: 2, ...head, ending: { ...ending, bodyBytes: 4 } });
  await writeFile(file, `${line}\n"ä"`);
  expect(await ended(await claim('e2'))).toEqual(['answered', '"ä"']);
  await writeFile(file, `${line}\n"ä`);
  await expect(claim('e3')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  expect(runs()).toBe(0);
});

test.each(['', '{', '{"version":2}', 'null'])(
  'refuses a claim file with the content %j and does not overwrite it',
  async (text) => {
    const folder = await temporary();
    const { claim, runs } = await opened(folder);
    await mkdir(folder);
    const { owner, name } = keyedCall(use, 'e1');
    await writeFile(join(folder, `${owner}-${name}.json`), text);
    await expect(claim('e1')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(runs()).toBe(0);
  },
);
