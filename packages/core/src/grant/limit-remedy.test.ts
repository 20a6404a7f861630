// Threat model: T390

import { expect, test } from 'vitest';
import { noCapabilities } from '../capability/capabilities.ts';
import { type Tier, tierCeilings } from '../capability/tier.ts';
import type { Outcome } from '../outcome/outcome.ts';
import { asToolSkill } from '../skill/tool-skill.ts';
import { someSkill } from '../testing/some-skill.ts';
import { type Grant, grantCall } from './grant.ts';
import { limitRemedy, unmetLimits } from './limit-remedy.ts';

const GiB = 1024 ** 3;
type Places = Partial<Record<'skill' | 'call' | 'granted' | 'every' | 'key', object>>;

function grant({ skill, call, granted, every = {}, key }: Places, tier: Tier = 'verified'): Grant {
  const sidecar = JSON.stringify({ run: { runtime: 'process', entry: 'run', limits: skill } });
  const tool = asToolSkill(someSkill('plot', { sidecar, tier }));
  if (tool === undefined) throw new Error('the sidecar above has a run');
  const operator = { ...noCapabilities, env: ['TZ'], ...(granted && { limits: granted }) };
  const policy = { digest: 'p', tiers: tierCeilings, deny: noCapabilities, limits: every };
  return grantCall({ ...policy, grants: new Map([['plot', operator]]) }, tool, {
    narrowing: { ...(call && { limits: call }) },
    ceiling: { ...(key && { limits: key }) },
  });
}

const outOfMemory: Outcome = { status: 'out-of-memory', memoryBytes: 0 };

test.each<[string, Places, string]>([
  [
    'the default',
    {},
    'To raise memoryBytes to 1GiB: add to ambit.config.yaml: grants: { plot: { env: [TZ], limits: { memoryBytes: 1GiB } } }',
  ],
  [
    'the maximum of the tier, above which the skill asks',
    { skill: { memoryBytes: 4 * GiB } },
    'To raise memoryBytes to 2GiB: add to ambit.config.yaml: grants: { plot: { env: [TZ], limits: { memoryBytes: 2GiB } } }',
  ],
  [
    'what is granted, with the other granted limits',
    { granted: { memoryBytes: 2 * GiB, timeoutMs: 90_000 } },
    'To raise memoryBytes to 4GiB: add to ambit.config.yaml: grants: { plot: { env: [TZ], limits: { memoryBytes: 4GiB, timeoutMs: 90s } } }',
  ],
  [
    'what the skill asks for',
    { skill: { memoryBytes: GiB / 4 } },
    'To raise memoryBytes to 512MiB: call it with --memory 512MiB, in place of run.limits.memoryBytes in its ambit.yaml',
  ],
  [
    'what the skill asks for, which is the maximum too',
    { skill: { memoryBytes: GiB } },
    'To raise memoryBytes to 2GiB: call it with --memory 2GiB, in place of run.limits.memoryBytes in its ambit.yaml; add to ambit.config.yaml: grants: { plot: { env: [TZ], limits: { memoryBytes: 2GiB } } }',
  ],
  [
    'what the call asks for',
    { call: { memoryBytes: 1000 }, skill: { memoryBytes: GiB } },
    'To raise memoryBytes to 2000: call it with --memory 2000',
  ],
  [
    'the limit of every call',
    { every: { memoryBytes: GiB / 8 }, skill: { memoryBytes: GiB } },
    'To raise memoryBytes to 256MiB: set in ambit.config.yaml: limits: { memoryBytes: 256MiB }',
  ],
  [
    'the ceiling of the key',
    { key: { memoryBytes: GiB / 8 }, call: { memoryBytes: GiB } },
    'To raise memoryBytes to 256MiB: use a key whose ceiling has limits: { memoryBytes: 256MiB }',
  ],
])('what raises a limit that is %s', (_, places, remedy) => {
  expect(limitRemedy(grant(places), outOfMemory)).toBe(remedy);
});

test('each outcome that a limit ends has a remedy for that limit, and the others none', () => {
  const plot = grant({});
  const remedies = (
    [
      { status: 'timed-out', timeoutMs: 60_000 },
      { status: 'timed-out', cpuMs: 960_000 },
      { status: 'output-too-large', outputBytes: 1 },
      { status: 'out-of-fuel', fuel: 1 },
      { status: 'canceled', reason: 'the daemon stops' },
    ] satisfies Outcome[]
  ).map((outcome) => limitRemedy(plot, outcome)?.replace(/: add .* limits: /, ' … '));
  expect(remedies).toEqual([
    'To raise timeoutMs to 2m … { timeoutMs: 2m } } }',
    'To raise cpuMs to 32m … { cpuMs: 32m } } }',
    'To raise outputBytes to 32MiB … { outputBytes: 32MiB } } }',
    // Programs have no fuel.
    undefined,
    undefined,
  ]);
});

test('names the limits that a skill does not get although it asks for them, and only those', () => {
  const asks = { memoryBytes: 2 * GiB, timeoutMs: 1000, processes: 4000 };
  expect(unmetLimits(grant({ skill: asks }))).toEqual([
    'asks for memoryBytes 2GiB and gets 1GiB; to give it that, add to ambit.config.yaml: grants: { plot: { env: [TZ], limits: { memoryBytes: 2GiB } } }',
    'asks for processes 4000 and gets 512; to give it that, add to ambit.config.yaml: grants: { plot: { env: [TZ], limits: { processes: 4000 } } }',
  ]);
  expect(unmetLimits(grant({ skill: asks, granted: { memoryBytes: 2 * GiB, processes: 4000 } }))).toEqual([]);
});
