import { expect, test } from 'vitest';
import { hasCgroups } from '../../../packages/runtime/src/testing/has-cgroups.ts';
import { sharedDaemon } from '../../support/daemon.ts';
import { laterRecords } from '../../support/later-records.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';

const number = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } };

const daemon = sharedDaemon(async (folder) => {
  await writeSkills(folder, {
    double: pythonSkill('print(json.dumps({"n": given["n"] * 2}))', { input: number, output: number }),
    add: pythonSkill('print(json.dumps({"n": given["n"] + 1}))', { input: number, output: number }),
    refuse: pythonSkill('sys.exit("I will not")', { input: number }),
    increment: {
      'ambit.yaml': JSON.stringify({ run: { runtime: 'wasm', entry: 'index.js' } }),
      'index.js': 'export default ({ n }) => ({ n: n + 1 });',
    },
    shout: {
      'ambit.yaml': JSON.stringify({
        run: {
          runtime: 'process',
          entry: 'scripts/run.sh',
          protocol: 'command',
          capabilities: { exec: ['sh', 'tr'] },
        },
      }),
      'scripts/run.sh': '#!/bin/sh\nexec tr a-z A-Z\n',
    },
  });
  return { skills: [{ path: folder, tier: 'local' }] };
});

const steps = (...skills: string[]) => skills.map((skill) => ({ skill }));

test('a chain passes each output to the next call, sums the usage, and leaves one record per call', async () => {
  const { status, body } = await daemon().request('POST', '/chain', {
    body: { input: { n: 5 }, steps: steps('double', 'add', 'double') },
  });
  expect({ status, outcome: body.outcome }).toEqual({
    status: 200,
    outcome: { status: 'succeeded', output: { n: 22 } },
  });
  const sum = (key: string): number =>
    body.links.reduce(
      (total: number, { usage }: Record<string, Record<string, number>>) => total + (usage?.[key] ?? 0),
      0,
    );
  expect(body.usage.durationMs).toBeCloseTo(sum('durationMs'), 6);
  const records = await daemon().audit(`?parentId=${body.executionId}`);
  expect(
    records.map(({ skill, outcome, parentId, executionId }) => ({
      skill: skill.id,
      outcome,
      parentId,
      executionId,
    })),
  ).toEqual(
    body.links
      .map(({ skillId, executionId }: Record<string, string>) => ({
        skill: skillId,
        outcome: 'succeeded',
        parentId: body.executionId,
        executionId,
      }))
      .reverse(),
  );
});

test.skipIf(!hasCgroups)(
  'a chain adds up processor time and takes the largest memory peak (needs writable cgroups)',
  async () => {
    const { body } = await daemon().request('POST', '/chain', {
      body: { input: { n: 5 }, steps: steps('double', 'add') },
    });
    const usages: { cpuMs: number; memoryPeakBytes: number }[] = body.links.map(
      ({ usage }: { usage: object }) => usage,
    );
    expect(body.usage.cpuMs).toBeCloseTo(
      usages.reduce((total, { cpuMs }) => total + cpuMs, 0),
      6,
    );
    expect(body.usage.memoryPeakBytes).toBe(Math.max(...usages.map((usage) => usage.memoryPeakBytes)));
  },
);

test.skipIf(hasCgroups)('without cgroups a chain reports no processor time and no memory', async () => {
  const { body } = await daemon().request('POST', '/chain', {
    body: { input: { n: 5 }, steps: steps('double', 'add') },
  });
  expect(body.usage).toMatchObject({ cpuMs: null, memoryPeakBytes: null });
});

test('a chain of WASM skills adds up their fuel and takes the largest memory peak', async () => {
  const { body } = await daemon().request('POST', '/chain', {
    body: { input: { n: 5 }, steps: steps('increment', 'increment') },
  });
  const usages: { fuelConsumed: number; memoryPeakBytes: number }[] = body.links.map(
    ({ usage }: { usage: object }) => usage,
  );
  expect(usages.map((usage) => usage.fuelConsumed > 0 && usage.memoryPeakBytes > 0)).toEqual([true, true]);
  expect(body.usage).toMatchObject({
    fuelConsumed: usages.reduce((total, { fuelConsumed }) => total + fuelConsumed, 0),
    memoryPeakBytes: Math.max(...usages.map(({ memoryPeakBytes }) => memoryPeakBytes)),
  });
});

test('a chain converts JSON to text and stops at the first failed call', async () => {
  const shouted = await daemon().request('POST', '/chain', {
    body: { input: { n: 1 }, steps: steps('add', 'shout') },
  });
  expect(shouted.body.outcome).toEqual({
    status: 'succeeded',
    output: { exitCode: 0, stdout: '{"N":2}', stderr: '' },
  });
  const broken = await daemon().request('POST', '/chain', {
    body: { input: { n: 1 }, steps: steps('add', 'refuse', 'double') },
  });
  expect(broken).toMatchObject({
    status: 200,
    body: {
      outcome: { status: 'failed', failure: { exitCode: 1 }, stderr: 'I will not\n' },
      failedAt: { position: 2, skillId: 'refuse' },
    },
  });
  expect(broken.body.links.map(({ skillId }: { skillId: string }) => skillId)).toEqual(['add', 'refuse']);
});

test('a refused call in a chain names its position and skill, and the calls before it are recorded', async () => {
  const { status, body } = await daemon().request('POST', '/chain', {
    body: { input: { n: 1 }, steps: steps('add', 'no-such-skill') },
  });
  expect({ status, code: body.code }).toEqual({ status: 404, code: 'SKILL_NOT_FOUND' });
  expect(body.detail).toMatch(/^step 2 \(no-such-skill\): skill "no-such-skill" does not exist/);
  const records = await daemon().audit(`?parentId=${body.executionId}`);
  expect(records.map(({ skill, outcome }) => [skill.id, outcome])).toEqual([
    ['no-such-skill', 'denied'],
    ['add', 'succeeded'],
  ]);
});

test('an empty chain is refused and recorded', async () => {
  const records = await laterRecords(daemon());
  const { status, body } = await daemon().request('POST', '/chain', { body: { input: {}, steps: [] } });
  expect({ status, code: body.code, detail: body.detail }).toEqual({
    status: 400,
    code: 'REQUEST_INVALID',
    detail: expect.stringContaining('a chain needs at least one step'),
  });
  expect(await records()).toMatchObject([
    { executionId: body.executionId, error: { code: 'REQUEST_INVALID' } },
  ]);
});
