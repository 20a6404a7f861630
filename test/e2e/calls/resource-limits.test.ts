// Threat model: T103

// Host programs that exceed their limits, with cgroups and without write access to cgroups.
import { expect, test } from 'vitest';
import { hasCgroups } from '../../../packages/runtime/src/testing/has-cgroups.ts';
import { startDaemon, temporaryFolder } from '../../support/daemon.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';

const MiB = 1024 * 1024;
const limits = { memoryBytes: 64 * MiB, cpuMs: 1000 };

async function daemonWithSkills() {
  const folder = await temporaryFolder();
  await writeSkills(folder, {
    // Its input is the number of MiB to allocate.
    allocates: pythonSkill(
      'try: block = b"x" * (given * 1048576)\nexcept MemoryError: print("\\"refused\\"")\nelse: print("\\"taken\\"")',
      { limits },
    ),
    spins: pythonSkill('while given: pass\nprint(1)', { limits }),
  });
  return startDaemon({ skills: [{ path: folder, tier: 'local' }], bundledSkills: false });
}

async function outcomes() {
  const daemon = await daemonWithSkills();
  const outcomeOf = async (skill: string, input: unknown) =>
    (await daemon.execute(skill, { input })).body.outcome;
  return {
    within: [await outcomeOf('allocates', 16), await outcomeOf('spins', false)],
    memory: await outcomeOf('allocates', 96),
    processorTime: await outcomeOf('spins', true),
  };
}

const within = [
  { status: 'succeeded', output: 'taken' },
  { status: 'succeeded', output: 1 },
];

test.skipIf(!hasCgroups)(
  'a run that exceeds its memory or processor time is ended, and its outcome names the limit (needs writable cgroups)',
  async () => {
    expect(await outcomes()).toEqual({
      within,
      memory: { status: 'out-of-memory', memoryBytes: limits.memoryBytes },
      processorTime: { status: 'timed-out', cpuMs: limits.cpuMs },
    });
  },
);

test.skipIf(hasCgroups)(
  'without cgroups, a process cannot allocate memory over its limit and is killed over its processor time',
  async () => {
    expect(await outcomes()).toEqual({
      within,
      memory: { status: 'succeeded', output: 'refused' },
      processorTime: { status: 'failed', failure: { exitCode: 137 }, stderr: '' },
    });
  },
);
