// Makes ten thousand calls through the process executor, many of which fail. Afterwards no process,
// descriptor, file, cgroup or mount may be left, and memory may not have grown. Otherwise exits with 1.
//
//   npm run test:all -- soak-calls
//   npm run test:all -- soak-calls --calls 1000 --seed 7

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { SkillExecutor } from '../../packages/core/src/execute.ts';
import { bubblewrapSandbox, processExecutor } from '../../packages/runtime/src/index.ts';
import { type Footprint, footprint } from './footprint.ts';
import { randomNumbers } from './random-numbers.ts';
import { anySeed, inFolder, noneWrong, optionsOf } from './soak.ts';
import { crowdSize, type Kind, soakKinds } from './soak-skills.ts';

const values = optionsOf({ calls: '10000', seed: anySeed });
const calls = Number(values.calls);
/** By then V8's young generation and the allocator's arenas have reached their final size. */
const warmUp = 3000;
const concurrency = 4;
const growthMax = 1.3;
/** Killed processes can take a moment to disappear from /proc. */
const settleMs = 5000;

/** Resources that may not grow at all, and resources that may grow up to `growthMax`. */
const counted = ['descriptors', 'processes', 'temporaryFiles', 'cgroups', 'mounts'] as const;
const weighed = ['heapMiB', 'residentMiB'] as const;

const random = randomNumbers(Number(values.seed));
const marker = `soak-${process.pid}-${values.seed}`;
await inFolder('soak', soak);

async function soak(folder: string): Promise<boolean> {
  console.log(`seed ${values.seed}: ${calls} calls, ${concurrency} at a time, after ${warmUp} to warm up`);
  const [skills, temporary] = [join(folder, marker), join(folder, 'tmp')];
  for (const each of [skills, temporary]) await mkdir(each);
  // A folder of its own, so it contains only the runtime's temporary files.
  process.env['TMPDIR'] = temporary;
  const kinds = await soakKinds(skills, marker);
  const sandbox = bubblewrapSandbox();
  const executor = processExecutor({ sandbox, environment: {} });
  const tally = new Map<string, number>();
  const wrong: string[] = [];
  const look = (): Footprint => footprint(marker, temporary);

  await callMany(warmUp, executor, kinds, tally, wrong);
  await checkThatLeaksAreVisible(executor, kinds, look);
  const before = look();
  const startedAt = performance.now();
  tally.clear();
  for (let done = 0; done < calls; ) {
    const some = Math.min(1000, calls - done);
    await callMany(some, executor, kinds, tally, wrong);
    done += some;
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    console.log(`${String(done).padStart(6)} calls, ${seconds} s: ${shortly(look())}`);
  }
  const after = await settled(before, look);
  await sandbox.close?.();

  console.log(`\n${[...tally].map(([what, count]) => `${String(count).padStart(6)}  ${what}`).join('\n')}\n`);
  const leaks = verdict(before, after);
  const sound = noneWrong(wrong) && leaks === 0;
  console.log(
    `${sound ? 'no leak' : `${leaks} leaks, ${wrong.length} wrong outcomes`} (seed ${values.seed})`,
  );
  return sound;
}

async function callMany(
  count: number,
  executor: SkillExecutor,
  kinds: readonly Kind[],
  tally: Map<string, number>,
  wrong: string[],
): Promise<void> {
  let left = count;
  const work = async (): Promise<void> => {
    while (left-- > 0) {
      const kind = pick(kinds);
      const ended = await callOnce(executor, kind);
      const what = `${kind.name}: ${ended}`;
      tally.set(what, (tally.get(what) ?? 0) + 1);
      if (!kind.ends.some((status) => status === ended)) wrong.push(what);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}

/** Checks that `look` sees the resources of a running call. Otherwise it would find no leaks either. */
async function checkThatLeaksAreVisible(
  executor: SkillExecutor,
  kinds: readonly Kind[],
  look: () => Footprint,
): Promise<void> {
  const crowd = kinds.find(({ name }) => name === 'leaves a crowd behind and is canceled');
  if (crowd === undefined) throw new Error('no call leaves a crowd behind');
  const cancel = new AbortController();
  const running = executor.execute(crowd.grant, { protocol: 'json', value: null }, cancel.signal);
  const deadline = performance.now() + settleMs;
  let seen = look();
  while (seen.processes < crowdSize && performance.now() < deadline) {
    await delay(20);
    seen = look();
  }
  cancel.abort('enough');
  const { usage } = await running;
  if (seen.processes < crowdSize)
    throw new Error(`found ${seen.processes} processes of a crowd of ${crowdSize}`);
  if (usage.memoryPeakBytes !== null && seen.cgroups === 0)
    throw new Error('memory is measured, but no cgroups were found');
}

/** Returns the end of the call; an unexpected outcome or answer in full. */
async function callOnce(executor: SkillExecutor, { grant, cancelWithinMs }: Kind): Promise<string> {
  const cancel = new AbortController();
  const value = { n: Math.floor(random() * 1e9) };
  const timer =
    cancelWithinMs === undefined
      ? undefined
      : setTimeout(() => cancel.abort('enough'), random() * cancelWithinMs);
  try {
    const { outcome } = await executor.execute(grant, { protocol: 'json', value }, cancel.signal);
    if (outcome.status !== 'succeeded') {
      return outcome.status === 'failed' ? JSON.stringify(outcome) : outcome.status;
    }
    const same = JSON.stringify(outcome.output) === JSON.stringify(value);
    return same
      ? 'succeeded'
      : `answered ${JSON.stringify(outcome.output)} instead of ${JSON.stringify(value)}`;
  } catch (error) {
    const { message, cause } = error as Error;
    return `rejected: ${message} (${cause instanceof Error ? cause.message : ''})`;
  } finally {
    clearTimeout(timer);
  }
}

/** A random kind, weighted by share. */
function pick(kinds: readonly Kind[]): Kind {
  const tickets = kinds.flatMap((kind) => Array.from({ length: kind.share }, () => kind));
  const kind = tickets[Math.floor(random() * tickets.length)];
  if (kind === undefined) throw new Error('no kind of call to pick from');
  return kind;
}

/** Repeats the measurement for a while if something is left. */
async function settled(before: Footprint, look: () => Footprint): Promise<Footprint> {
  const startedAt = performance.now();
  for (;;) {
    const now = look();
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > settleMs || counted.every((each) => now[each] <= before[each])) {
      if (waitedMs > 1000) console.log(`clean-up took ${waitedMs.toFixed(0)} ms`);
      return now;
    }
    await delay(50);
  }
}

/** Prints both measurements, and returns how many resources have grown. */
function verdict(before: Footprint, after: Footprint): number {
  const row = (name: keyof Footprint, isFine: boolean): boolean => {
    const [was, is] = [before[name], after[name]].map((value) =>
      String(Math.round(value * 10) / 10).padStart(8),
    );
    const ratio = before[name] === 0 ? '' : `${(after[name] / before[name]).toFixed(2)} ×`;
    console.log(`${isFine ? '  ok  ' : ' LEAK '} ${name.padEnd(15)} ${was} → ${is}  ${ratio}`);
    return isFine;
  };
  const rows = [
    ...counted.map((name) => row(name, after[name] <= before[name])),
    ...weighed.map((name) => row(name, after[name] <= growthMax * before[name])),
  ];
  return rows.filter((each) => !each).length;
}

function shortly(now: Footprint): string {
  return Object.entries(now)
    .map(([name, value]) => `${name} ${Math.round(value)}`)
    .join(', ');
}
