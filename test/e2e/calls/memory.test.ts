// Threat model: T392

import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hasCgroups } from '../../../packages/runtime/src/testing/has-cgroups.ts';
import { limitOfAllRuns } from '../../../packages/runtime/src/testing/limit-of-all-runs.ts';
import { sharedDaemon } from '../../support/daemon.ts';
import { ambit, type Daemon, trust } from '../../support/daemon-process.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';

const GiB = 1024 ** 3;

/** Notes in a folder that it runs, says how many run, and waits until another folder has a file of its name. */
const waits = {
  'ambit.yaml': JSON.stringify({
    run: {
      runtime: 'process',
      entry: 'scripts/run.sh',
      protocol: 'command',
      capabilities: { exec: ['sh', '@posix'], filesystem: { read: ['granted'], write: ['granted'] } },
      limits: { memoryBytes: GiB, timeoutMs: 300_000 },
    },
  }),
  'scripts/run.sh':
    '#!/bin/sh\ntouch "$1/$3"\nls "$1" | wc -l\nwhile [ ! -e "$2/$3" ]; do sleep 0.05; done\nrm "$1/$3"\n',
};

let [runs, signals] = ['', ''];

const daemon = sharedDaemon(async (folder) => {
  [runs, signals] = [join(folder, '../runs'), join(folder, '../signals')];
  for (const each of [runs, signals]) await mkdir(each);
  // The skill has a user of its own if the daemon is root.
  await chmod(join(folder, '..'), 0o755);
  for (const each of [runs, signals]) await chmod(each, 0o777);
  await writeSkills(folder, { waits, adds: pythonSkill('print(given + 1)', { prewarm: 2 }) });
  return {
    bundledSkills: false,
    skills: [{ path: folder, tier: 'local' }],
    grants: { waits: { filesystem: { read: [signals], write: [runs] } } },
    limits: { memoryShareBytes: '2GiB', queue: 8 },
  };
});

/** Starts a call that runs until `open`. */
const start = (name: string, limits: object = {}) =>
  daemon().execute('waits', { args: [runs, signals, name], limits });
const open = (...names: string[]) => Promise.all(names.map((name) => writeFile(join(signals, name), '')));

/** Waits until programs are prewarmed, and calls leave them so much memory. */
async function untilIdle(programs: number, bytes: number): Promise<void> {
  await until(async () => {
    const metrics = await scraped(daemon());
    return (
      metrics.get('ambit_prewarmed_programs') === programs && metrics.get('ambit_memory_idle_bytes') === bytes
    );
  });
}

/** Waits until so many calls run and wait, and returns the reserved memory. */
async function load(running: number, waiting: number): Promise<number> {
  return until(async () => {
    const metrics = await scraped(daemon());
    const is = (name: string, value: number) => metrics.get(`ambit_calls_${name}`) === value;
    return is('running', running) && is('waiting', waiting) && metrics.get('ambit_memory_reserved_bytes');
  });
}

async function scraped({ url, key }: Daemon): Promise<Map<string, number>> {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${key}` } });
  const lines = (await answer.text()).split('\n').map((line) => line.split(' '));
  return new Map(lines.map(([name = '', value]) => [name, Number(value)]));
}

test('of eight runs of 1 GiB with 2 GiB for all, two run at a time, and the daemon answers meanwhile', async () => {
  const names = Array.from({ length: 8 }, (_, index) => `large-${index}`);
  const calls = names.map((name) => start(name));
  expect(await load(2, 6)).toBe(2 * GiB);
  // Both programs have started, so the later one counts two.
  await until(async () => (await readdir(runs)).length === 2);
  expect(await daemon().request('GET', '/healthz')).toMatchObject({ status: 200 });
  await open(...names);
  const ended = await Promise.all(calls);
  expect(ended.map(({ body }) => body.outcome.status)).toEqual(names.map(() => 'succeeded'));
  const together = ended.map(({ body }) => Number(body.outcome.output.stdout));
  expect(Math.max(...together)).toBe(2);
  expect(ended.filter(({ body }) => body.usage.queueMs > 0).length).toBeGreaterThanOrEqual(6);
  expect(await load(0, 0)).toBe(0);
});

test('a smaller call passes a call that waits for memory, and a canceled call leaves its place', async () => {
  const first = start('first', { memoryBytes: 1.5 * GiB });
  await load(1, 0);
  const aborting = new AbortController();
  const canceled = daemon()
    .request('POST', '/skills/waits/execute', {
      body: { args: [runs, signals, 'canceled'] },
      signal: aborting.signal,
    })
    .catch(() => undefined);
  await load(1, 1);
  const small = start('small', { memoryBytes: GiB / 4 });
  expect(await load(2, 1)).toBe(1.75 * GiB);
  aborting.abort();
  await canceled;
  expect(await load(2, 0)).toBe(1.75 * GiB);
  await open('first', 'small');
  expect((await first).body.outcome.status).toBe('succeeded');
  expect((await small).body.outcome.status).toBe('succeeded');
});

test('prewarmed programs hold memory until calls need it, and start again when it is free', async () => {
  expect((await daemon().execute('adds', { input: 1 })).body.outcome).toMatchObject({ output: 2 });
  await untilIdle(2, GiB);
  const calls = [start('whole-0'), start('whole-1')];
  expect(await load(2, 0)).toBe(2 * GiB);
  await untilIdle(0, 0);
  await open('whole-0', 'whole-1');
  for (const { body } of await Promise.all(calls)) expect(body.outcome.status).toBe('succeeded');
  expect((await daemon().execute('adds', { input: 2 })).body.outcome).toMatchObject({ output: 3 });
  await untilIdle(2, GiB);
});

test('the calls of a batch take turns', async () => {
  const names = ['batch-0', 'batch-1', 'batch-2'];
  const batch = daemon().request('POST', '/batch', {
    body: { calls: names.map((name) => ({ skill: 'waits', args: [runs, signals, name] })) },
  });
  expect(await load(2, 1)).toBe(2 * GiB);
  await open(...names);
  const { results } = (await batch).body;
  expect(results).toMatchObject(names.map(() => ({ answer: { outcome: { status: 'succeeded' } } })));
});

test.skipIf(!hasCgroups)(
  'the kernel limits all runs together to the share (needs writable cgroups)',
  async () => {
    expect(await limitOfAllRuns(daemon().pid)).toBe(2 * GiB);
  },
);

test('a call beyond the share is refused with what to do, recorded, and runs with less', async () => {
  const folder = await temporaryFolder();
  await writeSkills(join(folder, 'skills'), {
    large: pythonSkill('print(1)', { limits: { memoryBytes: GiB } }),
  });
  const config = { skills: [{ path: 'skills', tier: 'local' }], limits: { memoryShareBytes: '512MiB' } };
  await writeFile(join(folder, 'ambit.config.yaml'), JSON.stringify(config));
  await trust(folder);
  const run = (...options: string[]) => ambit(['run', 'large', '--input', '1', ...options], { cwd: folder });
  const refused = await run();
  expect(refused.stderr).toBe(
    'ambit: MEMORY_SHARE_EXCEEDED: large needs 1024 MiB of memory, and all runs together have 512 MiB; call it with less memory (limits.memoryBytes)\n' +
      'Call it with less, such as --memory 512MiB, or raise limits.memoryShareBytes in ambit.config.yaml. "ambit doctor" shows the memory of this machine\n',
  );
  expect(await run('--memory', '512MiB')).toMatchObject({ code: 0, stdout: '1\n' });
  const { records } = JSON.parse((await ambit(['audit', '--json'], { cwd: folder })).stdout);
  expect(
    records.map(({ outcome, error }: { outcome: string; error: { code: string } | null }) => [
      outcome,
      error?.code,
    ]),
  ).toEqual([
    ['succeeded', undefined],
    ['denied', 'MEMORY_SHARE_EXCEEDED'],
  ]);
});
