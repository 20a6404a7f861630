// Threat model: T50, T51, T211, T213, T392

import { EventEmitter, once } from 'node:events';
import { chmod, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Grant, type RunResult, sharedMemory, unlimitedMemory } from '@ambit/core/execute';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { isWhole } from '../../../../test/support/whole.ts';
import { hasCgroups } from '../testing/has-cgroups.ts';
import { grantedSkill, writeFiles } from '../testing/skill-on-disk.ts';
import { processExecutor } from './process-executor.ts';
import { bubblewrapSandbox } from './sandbox/bubblewrap/bubblewrap-sandbox.ts';
import type { Sandbox, SandboxedProgram } from './sandbox/sandbox.ts';

const never = new AbortController().signal;

/** A real sandbox that records the programs that it starts, and emits `start` after each. */
function watchedSandbox(): { sandbox: Sandbox; started: SandboxedProgram[]; starts: EventEmitter } {
  const sandbox = bubblewrapSandbox();
  const started: SandboxedProgram[] = [];
  const starts = new EventEmitter();
  return {
    started,
    starts,
    sandbox: {
      ...sandbox,
      async start(command, limits) {
        const program = await sandbox.start(command, limits);
        started.push(program);
        starts.emit('start');
        return program;
      },
    },
  };
}

/** An executor for one test; its waiting programs end with the test. */
function stage(prewarmMax = 8, prewarmMaxAgeMs = 600_000, memory = unlimitedMemory()) {
  const { sandbox, started, starts } = watchedSandbox();
  const executor = processExecutor({ sandbox, environment: {}, prewarmMax, prewarmMaxAgeMs, memory });
  onTestFinished(async () => {
    await executor.close?.();
    await sandbox.close?.();
  });
  const call = (grant: Grant, value: unknown = {}): Promise<RunResult> =>
    executor.execute(grant, { protocol: 'json', value }, never);
  return {
    started,
    starts,
    executor,
    call,
    ready: (grant: Grant) => executor.prewarm?.(grant),
    async sandboxesOf(grant: Grant, times: number): Promise<string[]> {
      const used: string[] = [];
      for (let count = 0; count < times; count++) used.push((await call(grant)).sandbox);
      return used;
    },
  };
}

/** Prints an id of its process, so that two outputs show whether they came from one process. */
const script = `#!/usr/bin/env python3
import json, os, sys
seen = os.urandom(8).hex()
print(json.dumps({"program": seen, "input": json.load(sys.stdin), "files": sorted(os.listdir("/tmp"))}))
open("/tmp/left", "w").close()
`;
const run = { runtime: 'process', entry: 'scripts/run.py', capabilities: { exec: ['python3'] }, prewarm: 2 };

const prewarmedSkill = (narrowing = {}, more: object = {}): Promise<Grant> =>
  grantedSkill({ ...run, ...more }, { 'scripts/run.py': script }, { narrowing });

/** A prewarmed skill that may read a folder of the host. */
async function skillThatReads(): Promise<{ grant: Grant; folder: string }> {
  const folder = join(await temporaryFolder(), 'granted');
  await mkdir(folder, { mode: 0o755 });
  await chmod(dirname(folder), 0o755);
  const grant = await grantedSkill(
    { ...run, capabilities: { exec: ['python3'], filesystem: { read: ['granted'] } } },
    { 'scripts/run.py': script },
    { operator: { filesystem: { read: [folder] } } },
  );
  return { grant, folder };
}

const cold = 'bubblewrap';
const warm = 'bubblewrap, prewarmed';

describe('a skill that is prewarmed', () => {
  test('a prewarmed skill returns the same output, from programs that are used once', async () => {
    const { call, ready } = stage();
    const grant = await prewarmedSkill();
    await ready(grant);
    const answers = await Promise.all([call(grant, 1), call(grant, 2)]);
    const programs = new Set(answers.map(({ outcome }) => outputOf(outcome)['program']));
    expect(answers.map(({ sandbox: used }) => used)).toEqual([warm, warm]);
    expect(answers.map(({ outcome }) => outputOf(outcome)['input'])).toEqual([1, 2]);
    expect(answers.map(({ outcome }) => outputOf(outcome)['files'])).toEqual([[], []]);
    expect(programs.size).toBe(2);
  });

  test('a used program is replaced, and a call without a waiting program starts one', async () => {
    const { call, ready, sandboxesOf } = stage();
    const grant = await prewarmedSkill();
    await ready(grant);
    const together = await Promise.all([call(grant), call(grant), call(grant)]);
    expect(together.map(({ sandbox: used }) => used).sort()).toEqual([cold, warm, warm]);
    await ready(grant);
    expect(await sandboxesOf(grant, 2)).toEqual([warm, warm]);
  });

  test('the deadline of a prewarmed program counts from its call', async () => {
    const { call, ready } = stage();
    const grant = await prewarmedSkill({}, { limits: { timeoutMs: 300 } });
    await writeFiles(grant.skill.root, {
      'scripts/run.py': '#!/usr/bin/env python3\nimport sys, time\nsys.stdin.read()\ntime.sleep(600)\n',
    });
    await ready(grant);
    const { outcome, usage, sandbox: used } = await call(grant);
    expect({ outcome, used }).toEqual({ outcome: { status: 'timed-out', timeoutMs: 300 }, used: warm });
    expect(usage.durationMs).toBeGreaterThanOrEqual(299);
  });

  test('a call starts a program if the waiting ones have ended', async () => {
    const { started, ready, sandboxesOf } = stage();
    const grant = await prewarmedSkill();
    await ready(grant);
    for (const program of started) program.stop({ status: 'canceled', reason: 'test' });
    await Promise.all(started.map(({ ended }) => ended));
    expect(await sandboxesOf(grant, 1)).toEqual([cold]);
  });
});

test.each([
  ['exit immediately', '#!/usr/bin/env python3\nprint("{}")\n'],
  ['fail', '#!/usr/bin/env python3\nraise SystemExit(1)\n'],
])('programs that %s are not restarted forever', async (_, text) => {
  const { started, ready, sandboxesOf } = stage(16);
  const grant = await grantedSkill({ ...run, prewarm: 16 }, { 'scripts/run.py': text });
  await ready(grant);
  await Promise.all(started.map(({ ended }) => ended));
  const startedOnce = started.length;
  expect(startedOnce).toBeLessThanOrEqual(16);
  await ready(grant);
  expect(started.length).toBe(startedOnce);
  expect(await sandboxesOf(grant, 1)).toEqual([cold]);
});

describe('a waiting program holds its memory limit', () => {
  const limit = 64 * 1024 * 1024;
  const small = { limits: { memoryBytes: limit } };

  test('as far as calls leave it, and ends when a call needs it', async () => {
    const memory = sharedMemory(3 * limit);
    const { started, ready, sandboxesOf } = stage(8, 600_000, memory);
    const grant = await prewarmedSkill({}, small);
    const free = memory.reserve(2 * limit);
    await ready(grant);
    expect([started.length, memory.load().idle]).toEqual([1, limit]);
    memory.reserve(limit);
    await memory.makeRoom();
    expect([await started[0]?.ended, memory.load().idle]).toEqual([
      { status: 'canceled', reason: 'closed' },
      0,
    ]);
    free?.();
    await ready(grant);
    expect(memory.load().idle).toBe(2 * limit);
    expect(await sandboxesOf(grant, 1)).toEqual([warm]);
  });

  test('until a call takes it, which has reserved that memory', async () => {
    const memory = sharedMemory(limit);
    const { executor, ready } = stage(8, 600_000, memory);
    const noisy =
      '#!/usr/bin/env python3\nimport sys\nsys.stdin.read()\nprint("a", file=sys.stderr)\nprint(1)\n';
    const grant = await grantedSkill({ ...run, ...small, prewarm: 1 }, { 'scripts/run.py': noisy });
    await ready(grant);
    expect(memory.load().idle).toBe(limit);
    memory.reserve(limit);
    const idle: number[] = [];
    const input = { protocol: 'json', value: {} } as const;
    const ended = await executor.execute(grant, input, never, () => idle.push(memory.load().idle));
    expect([ended.sandbox, idle]).toEqual([warm, [0]]);
  });
});

test('the operator limits the waiting programs of all skills together', async () => {
  const { started, ready } = stage(3);
  await ready(await grantedSkill({ ...run, prewarm: 9 }, { 'scripts/run.py': script }));
  expect(started.length).toBe(3);
});

test.skipIf(!hasCgroups)(
  'CPU time before the call is not charged to the call (needs writable cgroups)',
  async () => {
    const { started, ready, call } = stage();
    const busy = `#!/usr/bin/env python3
import sys, time
while time.process_time() < 0.4: pass
print("at its input", file=sys.stderr, flush=True)
sys.stdin.read()
print("{}")
`;
    const grant = await grantedSkill(
      { ...run, prewarm: 1, limits: { cpuMs: 5000 } },
      { 'scripts/run.py': busy },
    );
    await ready(grant);
    await once(started[0]?.stderr ?? process.stdin, 'readable');
    const { usage, sandbox: used, outcome } = await call(grant);
    expect({ used, status: outcome.status }).toEqual({ used: warm, status: 'succeeded' });
    expect(usage.cpuMs).toBeLessThan(300);
  },
);

describe('a waiting program is not used', () => {
  test('a narrowed call starts its own program, and the waiting one serves the next full call', async () => {
    const { ready, sandboxesOf } = stage();
    const grant = await prewarmedSkill();
    await ready(grant);
    const less = { limits: { memoryBytes: 32 * 1024 * 1024 } };
    const narrowed: Grant = { ...grant, limits: { ...grant.limits, ...less.limits }, narrowed: true };
    expect(await sandboxesOf(narrowed, 1)).toEqual([cold]);
    expect(await sandboxesOf(grant, 1)).toEqual([warm]);
  });

  test('a waiting program is ended, not used, when the grant has changed', async () => {
    const { started, ready, sandboxesOf } = stage();
    const grant = await prewarmedSkill();
    await ready(grant);
    const waited = [...started];
    const other: Grant = { ...grant, limits: { ...grant.limits, processes: 7 } };
    expect(await sandboxesOf(other, 1)).toEqual([cold]);
    await Promise.all(waited.map(({ ended }) => ended));
    expect(await sandboxesOf(other, 1)).toEqual([warm]);
  });

  test('a waiting program is not used after a granted folder was replaced', async () => {
    const { ready, sandboxesOf } = stage();
    const { grant, folder } = await skillThatReads();
    await ready(grant);
    expect(await sandboxesOf(grant, 1)).toEqual([warm]);
    await ready(grant);
    await rename(folder, `${folder}.before`);
    await mkdir(folder, { mode: 0o755 });
    expect(await sandboxesOf(grant, 1)).toEqual([cold]);
  });

  test('a waiting program is not used after a folder of the skill was moved away and back', async () => {
    const { ready, sandboxesOf } = stage();
    const grant = await grantedSkill(run, { 'scripts/run.py': script, 'lib/part.py': 'A = 1\n' });
    await ready(grant);
    const lib = join(grant.skill.root, 'lib');
    const aside = join(await temporaryFolder(), 'aside');
    await rename(lib, aside);
    await rename(aside, lib);
    expect(await sandboxesOf(grant, 1)).toEqual([cold]);
  });

  test('a waiting program is not used after a file of the skill was rewritten, even with the same content', async () => {
    const { ready, sandboxesOf } = stage();
    const grant = await prewarmedSkill();
    await ready(grant);
    const file = join(grant.skill.root, 'scripts/run.py');
    await writeFile(file, await readFile(file));
    expect(await sandboxesOf(grant, 1)).toEqual([cold]);
  });
});

describe('retain', () => {
  const alive = (started: readonly SandboxedProgram[]): number =>
    started.filter((program) => !program.hasExited()).length;

  test('retain ends programs before it resolves, and a call that still runs starts no other', async () => {
    const { started, executor, call, ready } = stage();
    const grant = await prewarmedSkill();
    await ready(grant);
    const inProgress = [call(grant), executor.retain([])] as const;
    await inProgress[1];
    expect(alive(started)).toBeLessThanOrEqual(1);
    expect((await inProgress[0]).outcome.status).toBe('succeeded');
    await ready(grant);
    expect(await children()).toBe(0);
  });

  test('retain ends a program that is still starting', async () => {
    const { started, executor, ready } = stage();
    const grant = await prewarmedSkill();
    for (let turns = 0; turns < 40; turns += isWhole ? 1 : 5) {
      await executor.retain([grant]);
      const starting = ready(grant);
      for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
      await executor.retain([]);
      expect(alive(started)).toBe(0);
      await starting;
      expect(alive(started)).toBe(0);
    }
  });

  test('retain ends a program whose granted path a new deny rule includes', async () => {
    const { started, executor, ready } = stage();
    const { grant, folder } = await skillThatReads();
    await ready(grant);
    await executor.retain([{ ...grant, hostDenied: [dirname(folder)] }]);
    expect(alive(started)).toBe(0);
  });
});

test('the first call of a skill starts its prewarming', async () => {
  const { starts, sandboxesOf } = stage();
  const grant = await prewarmedSkill({}, { prewarm: 1 });
  expect(await sandboxesOf(grant, 1)).toEqual([cold]);
  await once(starts, 'start');
  expect(await sandboxesOf(grant, 1)).toEqual([warm]);
});

test('an executor without prewarming starts a program for each call, even if the sidecar asks for prewarming', async () => {
  const { started, ready, sandboxesOf } = stage(0);
  const grant = await prewarmedSkill();
  await ready(grant);
  expect({ used: await sandboxesOf(grant, 2), started: started.length }).toEqual({
    used: [cold, cold],
    started: 2,
  });
});

/** The number of child processes that have not been reaped. */
async function children(): Promise<number> {
  const threads = await readdir('/proc/self/task');
  const lists = await Promise.all(threads.map((id) => readFile(`/proc/self/task/${id}/children`, 'utf8')));
  return lists.join(' ').split(' ').filter(Boolean).length;
}

function outputOf(outcome: RunResult['outcome']): Record<string, unknown> {
  if (outcome.status !== 'succeeded') throw new Error(JSON.stringify(outcome));
  return outcome.output as Record<string, unknown>;
}
