// Threat model: T40, T103

import { describe, expect, test } from 'vitest';
import { ownHardLimits, rlimitsFor } from './rlimits.ts';

const limits = { memoryBytes: 1000, cpuMs: 1500, processes: 9, fileBytes: 77 };
const always = { nofile: 512, core: 1, memlock: 65_536, sigpending: 64, msgqueue: 16_384 };

describe('rlimitsFor', () => {
  test('rlimitsFor gives every sandbox the fixed limits, and each run its file size limit', () => {
    expect(rlimitsFor(undefined, { beside: 1 }, {})).toEqual(always);
    expect(rlimitsFor(limits, undefined, {})).toEqual({ ...always, fsize: 77 });
  });

  test('rlimitsFor adds the run’s limits if no cgroup enforces them', () => {
    expect(rlimitsFor(limits, { beside: 1 }, {})).toEqual({
      ...always,
      fsize: 77,
      data: 1000,
      cpu: 2,
      nproc: 10,
    });
    const { cpu, ...rest } = rlimitsFor({ ...limits, cpuMs: Number.POSITIVE_INFINITY }, { beside: 1 }, {});
    expect([cpu, rest.data]).toEqual([undefined, 1000]);
  });

  test('rlimitsFor never exceeds the daemon’s own hard limits', () => {
    expect(rlimitsFor(limits, undefined, { nofile: 100, core: 0, fsize: 1000 })).toEqual({
      ...always,
      nofile: 100,
      core: 0,
      fsize: 77,
    });
  });
});

test('ownHardLimits returns the system’s limits without the unlimited ones', () => {
  const shown = process.report.getReport() as { userLimits: Record<string, { hard: string | number }> };
  const { max_user_processes: nproc, open_files: nofile } = shown.userLimits;
  const finite = (hard: string | number | undefined) => (typeof hard === 'number' ? hard : undefined);
  const { nproc: ownNproc, nofile: ownNofile, cpu } = ownHardLimits();
  expect([ownNproc, ownNofile, cpu]).toEqual([finite(nproc?.hard), finite(nofile?.hard), undefined]);
});
