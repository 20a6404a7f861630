// Threat model: T390, T391

import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { sharedDaemon } from '../../support/daemon.ts';
import { ambit } from '../../support/daemon-process.ts';
import { writeSkills } from '../../support/skills.ts';
import { httpClient, textOf } from '../support/mcp-client.ts';

/** Sleeps as long as it is asked to. Its usual timeout is longer than the start of a sandbox on a busy machine. */
const sleeps = { 'scripts/run.sh': '#!/bin/sh\n[ $# = 0 ] && set -- 600\nsleep "$1"\necho woke\n' };
const asks = (limits: object) => ({
  ...sleeps,
  'ambit.yaml': JSON.stringify({
    run: {
      runtime: 'process',
      entry: 'scripts/run.sh',
      protocol: 'command',
      capabilities: { exec: ['sh', '@posix'] },
      limits,
    },
  }),
});

const GiB = 1024 ** 3;

const daemon = sharedDaemon(async (folder) => {
  await writeSkills(folder, {
    sleeps,
    granted: sleeps,
    modest: asks({ timeoutMs: 50, memoryBytes: GiB / 16 }),
    greedy: asks({ timeoutMs: 3_600_000, memoryBytes: 8 * GiB }),
  });
  return {
    bundledSkills: false,
    skills: [{ path: folder, tier: 'verified' }],
    tiers: { verified: { timeoutMs: { default: '1s', max: '2m' }, memoryBytes: '256MiB' } },
    grants: { granted: { limits: { timeoutMs: '90s', memoryBytes: '300MiB' } } },
    logLevel: 'info',
  };
});

/** Returns the time and memory that a call got, and how it ended. */
async function limitsOf(skill: string, body: object = {}): Promise<unknown[]> {
  const ended = await daemon().execute(skill, { args: ['0'], ...body });
  const record = await daemon().request('GET', `/audit/${ended.body.executionId}`);
  const { timeoutMs, memoryBytes } = record.body.limits;
  return [ended.body.outcome.status, timeoutMs, memoryBytes / (GiB / 1024)];
}

describe('a call of a program gets', () => {
  test.each([
    ['the default of its tier, which the operator sets', 'sleeps', undefined, [1000, 256]],
    [
      'what the operator grants to its skill, without a line in its sidecar',
      'granted',
      undefined,
      [90_000, 300],
    ],
    ['what its skill asks for', 'modest', undefined, [50, 64]],
    ['what it asks for itself', 'modest', { timeoutMs: 100_000, memoryBytes: GiB / 8 }, [100_000, 128]],
    ['no more than the maximum of its tier, as its skill asks', 'greedy', undefined, [120_000, 256]],
    [
      'no more than the maximum of its tier',
      'sleeps',
      { timeoutMs: 2 ** 53 - 1, memoryBytes: 8 * GiB },
      [120_000, 256],
    ],
    ['no more than what is granted', 'granted', { timeoutMs: 100_000, memoryBytes: GiB }, [90_000, 300]],
  ])('%s', async (_, skill, limits, expected) => {
    const [status, ...got] = await limitsOf(skill, limits && { limits });
    expect(got).toEqual(expected);
    expect(status).toMatch(/^(succeeded|timed-out)$/);
  });
});

test.each(['sleeps', 'granted', 'modest', 'greedy'])(
  'the limits that are shown of %s are what its calls get without limits of their own, and at most',
  async (skill) => {
    const { run, scriptLimits } = (await daemon().request('GET', `/skills/${skill}`)).body;
    const shown = run === null ? scriptLimits : run.callLimits;
    const pair = ({ timeoutMs, memoryBytes }: Record<string, number>) => [
      timeoutMs,
      (memoryBytes ?? 0) / (GiB / 1024),
    ];
    const most = { timeoutMs: 2 ** 53 - 1, memoryBytes: 2 ** 53 - 1 };
    const [, ...usual] = await limitsOf(skill);
    const [, ...max] = await limitsOf(skill, { limits: most });
    expect([pair(shown.default), pair(shown.max)]).toEqual([usual, max]);
  },
);

test('ambit skills show prints these limits', async () => {
  const { key, url } = daemon();
  const { stdout } = await ambit(['skills', 'show', 'modest', '--url', url], { env: { AMBIT_KEY: key } });
  expect(stdout).toContain('\nlimits: memory 64MiB (at most 256MiB), time 50ms (at most 2m)\n');
});

describe('a run that a limit ends', () => {
  const remedy =
    'To raise timeoutMs to 2s: add to ambit.config.yaml: grants: { sleeps: { limits: { timeoutMs: 2s } } }';

  test('names the line that raises the limit on the command line, over HTTP and in the record', async () => {
    const { key, url } = daemon();
    const ran = await ambit(['run', 'sleeps', '--url', url, '--', '600'], { env: { AMBIT_KEY: key } });
    expect(ran.stderr.split('\n').slice(0, 2)).toEqual([
      'sleeps was stopped: it exceeded its timeout of 1000 ms.',
      `Reduce the work. ${remedy}`,
    ]);
    const [record] = await daemon().audit('?skill=sleeps&limit=1');
    expect(record).toMatchObject({ outcome: 'timed-out', remedy });
    const { body } = await daemon().execute('sleeps', { args: ['600'] });
    expect(body).toMatchObject({ outcome: { status: 'timed-out', timeoutMs: 1000 }, remedy });
    // The granted skill has such a line, and sleeps longer than the default allows.
    expect(parse(remedy.slice(remedy.indexOf('grants:')))).toEqual({
      grants: { sleeps: { limits: { timeoutMs: '2s' } } },
    });
    expect((await daemon().execute('granted', { args: ['1.1'] })).body).not.toHaveProperty('remedy');
  });

  test('gives a model what was hit and no line', async () => {
    const client = await httpClient(daemon(), 'modern');
    const result = await client.callTool({
      name: 'run_skill_script',
      arguments: { name: 'sleeps', script: 'scripts/run.sh', args: ['600'] },
    });
    expect(textOf(result)).toBe(
      'sleeps was stopped: it exceeded its timeout of 1000 ms.\nReduce the work. A person can raise the limit.',
    );
  });

  test('can be repeated with more time by its caller', async () => {
    const { key, url } = daemon();
    const run = (...options: string[]) =>
      ambit(['run', 'modest', '--url', url, ...options, '--', '0.2'], { env: { AMBIT_KEY: key } });
    expect((await run()).stderr).toContain(
      'To raise timeoutMs to 100: call it with --timeout 100, in place of run.limits.timeoutMs in its ambit.yaml\n',
    );
    expect(await run('--timeout', '1m', '--memory', '128MiB')).toMatchObject({ code: 0, stdout: 'woke\n' });
  });
});

test('the log names each skill that asks for more than it gets, with the line that gives it', () => {
  const [logged] = daemon()
    .logged()
    .split('\n')
    .filter((line) => line.includes('skills run with less than they ask for'))
    .map((line) => JSON.parse(line).warnings);
  expect(logged).toEqual([
    'greedy: scripts/run.sh asks for timeoutMs 1h and gets 2m; to give it that, add to ambit.config.yaml: grants: { greedy: { limits: { timeoutMs: 1h } } }',
    'greedy: scripts/run.sh asks for memoryBytes 8GiB and gets 256MiB; to give it that, add to ambit.config.yaml: grants: { greedy: { limits: { memoryBytes: 8GiB } } }',
  ]);
});
