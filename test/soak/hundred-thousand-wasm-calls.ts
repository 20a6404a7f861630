// Makes a hundred thousand calls of WASM skills, one in a hundred of them hostile. Afterwards nothing may
// have leaked, here or in the hosts, and the last calls must be as fast as the first. Otherwise exits
// with 1.
//
//   npm run test:all -- soak-wasm
//   npm run test:all -- soak-wasm --calls 10000 --seed 7

import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Grant, RunResult, SkillExecutor } from '../../packages/core/src/execute.ts';
import { bubblewrapSandbox, wasmExecutor } from '../../packages/runtime/src/index.ts';
import { noState } from '../../packages/runtime/src/testing/no-state.ts';
import { badModules } from '../../packages/runtime/src/wasm/testing/bad-modules.ts';
import { echoPlugin } from '../../packages/runtime/src/wasm/testing/module-of.ts';
import { grantedSkill } from '../contract/support/granted-skill.ts';
import { type Footprint, footprint } from './footprint.ts';
import { hostMebibytes } from './host-mebibytes.ts';
import { randomNumbers } from './random-numbers.ts';
import { allSound, anySeed, inFolder, noneWrong, optionsOf } from './soak.ts';

const values = optionsOf({ calls: '100000', seed: anySeed });
const calls = Number(values.calls);
const warmUp = Math.min(5000, calls);
const concurrency = 4;
const hostileShare = 0.01;
const growthMax = 1.3;
/** The ratio by which the last calls may be slower, because of other work on the machine. */
const slowdownMax = 1.25;
const parts = 10;
/** A text on the command line of every host. */
const marker = '/ambit/host/main.mjs';

const random = randomNumbers(Number(values.seed));
await inFolder('soak', soak);

/** A kind of call, and its permitted outcomes. */
interface Kind {
  name: string;
  grant: Grant;
  hostile: boolean;
  ends(execution: RunResult, value: unknown): boolean;
}

async function soak(folder: string): Promise<boolean> {
  console.log(`seed ${values.seed}: ${calls} calls, ${concurrency} at a time, after ${warmUp} to warm up`);
  const temporary = join(folder, 'tmp');
  await mkdir(temporary);
  const kinds = await soakKinds(folder);
  // A folder of its own, so it contains only the runtime's temporary files.
  process.env['TMPDIR'] = temporary;
  const sandbox = bubblewrapSandbox();
  const executor = wasmExecutor({ sandbox, state: noState, hosts: 2 });
  const wrong: string[] = [];
  const look = (): Footprint => footprint(marker, temporary);
  const good = kinds.filter(({ hostile }) => !hostile);

  await callMany(warmUp, executor, kinds, wrong);
  const [before, hostsBefore] = [look(), hostMebibytes(marker)];
  const speeds: number[] = [];
  for (let part = 0; part < parts; part++) {
    await callMany(Math.ceil(calls / parts), executor, kinds, wrong);
    speeds.push(await callsPerSecond(executor, good, wrong));
    console.log(
      `${String(((part + 1) * calls) / parts).padStart(7)} calls: ${speeds.at(-1)?.toFixed(0)} good calls/s, ${look().descriptors} descriptors, hosts ${hostMebibytes(marker).toFixed(0)} MiB`,
    );
  }
  const [after, hostsAfter] = [look(), hostMebibytes(marker)];
  await executor.close?.();
  await sandbox.close?.();
  const end = look();

  const [first = 0, last = 0] = [Math.max(...speeds.slice(0, 3)), Math.max(...speeds.slice(-3))];
  const checks: [string, boolean, string][] = [
    [
      'descriptors',
      after.descriptors <= before.descriptors + 4,
      `${before.descriptors} → ${after.descriptors}`,
    ],
    [
      'heap',
      after.heapMiB <= growthMax * before.heapMiB,
      `${before.heapMiB.toFixed(0)} → ${after.heapMiB.toFixed(0)} MiB`,
    ],
    [
      'hosts',
      hostsAfter <= growthMax * hostsBefore,
      `${hostsBefore.toFixed(0)} → ${hostsAfter.toFixed(0)} MiB`,
    ],
    ['host processes after the end', end.processes === 0, String(end.processes)],
    ['temporary files', end.temporaryFiles === 0, String(end.temporaryFiles)],
    ['cgroups of runs', end.cgroups <= 3, String(end.cgroups)],
    ['speed', last * slowdownMax >= first, `${first.toFixed(0)} → ${last.toFixed(0)} good calls/s`],
    ['outcomes', wrong.length === 0, `${wrong.length} wrong`],
  ];
  console.log('');
  noneWrong(wrong);
  return allSound(checks);
}

async function callMany(
  count: number,
  executor: SkillExecutor,
  kinds: readonly Kind[],
  wrong: string[],
): Promise<void> {
  let left = count;
  const work = async (): Promise<void> => {
    while (left-- > 0) await callOnce(executor, pick(kinds), wrong);
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}

/** Makes no hostile calls, so every measurement is of the same work. */
async function callsPerSecond(
  executor: SkillExecutor,
  good: readonly Kind[],
  wrong: string[],
): Promise<number> {
  const count = 2000;
  const startedAt = performance.now();
  await callMany(count, executor, good, wrong);
  return (count / (performance.now() - startedAt)) * 1000;
}

async function callOnce(executor: SkillExecutor, kind: Kind, wrong: string[]): Promise<void> {
  const value = { n: Math.floor(random() * 1e9) };
  try {
    const execution = await executor.execute(
      kind.grant,
      { protocol: 'json', value },
      new AbortController().signal,
    );
    if (!kind.ends(execution, value)) wrong.push(`${kind.name}: ${JSON.stringify(execution.outcome)}`);
  } catch (error) {
    wrong.push(`${kind.name}: rejected: ${(error as Error).message}`);
  }
}

function pick(kinds: readonly Kind[]): Kind {
  const wanted = random() < hostileShare;
  const alike = kinds.filter(({ hostile }) => hostile === wanted);
  const some = alike.length === 0 ? kinds : alike;
  const kind = some[Math.floor(random() * some.length)];
  if (kind === undefined) throw new Error('no kind of call to pick from');
  return kind;
}

async function soakKinds(folder: string): Promise<Kind[]> {
  const fixtures = new URL('../../packages/runtime/src/wasm/testing/fixtures/', import.meta.url);
  const echoes = {
    'a plug-in': ['skill.wasm', echoPlugin()],
    'a WASI command': ['skill.wasm', await readFile(new URL('echo.wasm', fixtures))],
    'a script': ['index.js', 'export default (input) => input;'],
  } as const;
  const good = Object.entries(echoes).map(async ([name, [entry, content]]): Promise<Kind> => {
    const grant = await grantedSkill(folder, { runtime: 'wasm', entry }, { [entry]: content });
    return {
      name,
      grant,
      hostile: false,
      ends: ({ outcome }, value) =>
        outcome.status === 'succeeded' && JSON.stringify(outcome.output) === JSON.stringify(value),
    };
  });
  // A module that is refused before it runs makes no call.
  const bad = badModules
    .filter(({ expected }) => expected.status !== 'refused')
    .map(async ({ name, kind, bytes, needs, expected }): Promise<Kind> => {
      const limits = {
        memoryBytes: 2 * 1024 * 1024,
        outputBytes: 64 * 1024,
        fuel: needs === 'deadline' ? 10_000_000_000 : 5_000_000,
        timeoutMs: needs === 'deadline' ? 50 : 20_000,
      };
      const run = { runtime: 'wasm', entry: 'skill.wasm', limits };
      return {
        name: `${kind}: ${name}`,
        grant: await grantedSkill(folder, run, { 'skill.wasm': bytes() }),
        hostile: true,
        ends: ({ outcome }) => outcome.status === expected.status,
      };
    });
  return Promise.all([...good, ...bad]);
}
