import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { walkLog } from '../../../packages/server/src/audit/testing/walk-log.ts';
import type { Daemon } from '../daemon-process.ts';
import { writeSkills } from '../skills.ts';
import { until } from '../until.ts';
import { type FaultyCall, problemsOf } from './fault-problems.ts';
import { type FaultyDaemon, faultyDaemon } from './faulty-daemon.ts';

/**
 * `answers`: a call of a script, whose only effect is its answer. `writes`: of a program that writes a file.
 * `keyed`: the same with an idempotency key. `stays`: of a program that writes a file and runs until it is
 * ended.
 */
export const callKinds = ['answers', 'writes', 'keyed', 'stays'] as const;
type CallKind = (typeof callKinds)[number];

/** An event while the daemon is stopped at a step of a call. */
type Fault = 'canceled' | 'log unwritable';

interface FaultReport {
  /** The number of calls that were answered with a result. */
  answered: number;
  /** The number of programs that had an effect. */
  ran: number;
  /** One description per problem. */
  wrong: string[];
}

/** Calls with injected faults, all with one log. A daemon starts when one is needed. */
export interface FaultyCalls {
  /** Kills the daemon at a step of a call. */
  kill(kind: CallKind, step: number): Promise<void>;
  /** Stops the daemon at every `stride`-th step of a call, from `first` on. Resolves to the last step. */
  disturb(kind: CallKind, fault: Fault, steps: { first: number; stride: number }): Promise<number>;
  /** Makes calls while the log is locked: their records are refused long after their sandboxes are ready. */
  lockLog(kinds: readonly CallKind[]): Promise<void>;
  /** Kills the daemon, starts it again, retries the calls with a key, and checks all calls. */
  check(): Promise<FaultReport>;
  /** Ends the daemon. */
  close(): Promise<void>;
}

/** The first call of a daemon loads modules, which takes many steps. */
const warmUpCalls = 2;
/** The time in which the processes of a killed daemon end. */
const endMs = 20_000;

/** `folder` gets the skills, the configuration, the data and the effects. */
export async function faultyCalls(folder: string): Promise<FaultyCalls> {
  const effects = join(folder, 'effects');
  await mkdir(effects);
  await chmod(effects, 0o777);
  const staying = `scripts/stays-${randomUUID()}.sh`;
  await writeSkills(join(folder, 'skills'), {
    answers: {
      'ambit.yaml': JSON.stringify({ run: { runtime: 'wasm', entry: 'scripts/run.js' } }),
      'scripts/run.js': 'export default (input) => input;\n',
    },
    writes: program('scripts/run.sh', effects, 'echo "$number"'),
    stays: program(staying, effects, 'while :; do sleep 600; done'),
  });
  const granted = { filesystem: { write: [effects] } };
  const config = {
    skills: [{ path: join(folder, 'skills'), tier: 'local' }],
    grants: { writes: granted, stays: granted },
    logLevel: 'error',
  };
  const log = join(folder, 'data/audit.db');
  const calls: FaultyCall[] = [];
  const wrong: string[] = [];

  let daemon: FaultyDaemon | undefined;
  let hasOpenRecords = false;

  const kill = async (): Promise<void> => {
    await daemon?.stop('SIGKILL');
    daemon = undefined;
  };

  const send = (to: Daemon, kind: CallKind, what: string, signal?: AbortSignal) => {
    const call: FaultyCall = { number: calls.length, isKeyed: kind === 'keyed', what, answer: undefined };
    calls.push(call);
    let isAnswered = false;
    const settle = async (): Promise<void> => {
      // The connection to a killed daemon breaks, even in the middle of an answer.
      call.answer = await request(to, kind, call.number, signal).catch(() => undefined);
      isAnswered = true;
    };
    /** Whether the daemon has nothing left to do for it. */
    const isOver = async (): Promise<boolean> => {
      await nextTurn();
      return isAnswered || (kind === 'stays' && existsSync(join(effects, String(call.number))));
    };
    return { call, settled: settle(), isOver };
  };

  const warmed = async (kind: CallKind): Promise<FaultyDaemon> => {
    daemon ??= await faultyDaemon(folder, config);
    for (let call = 0; call < warmUpCalls; call++)
      await send(daemon, kind === 'stays' ? 'writes' : kind, `warm-up of ${kind}`).settled;
    return daemon;
  };

  const requireEnded = async ({ what }: FaultyCall, withinMs: number): Promise<void> => {
    const deadline = performance.now() + withinMs;
    const { runs } = await until(async () => {
      const runs = await isRunning(`/skill/${staying}`);
      return (!runs || performance.now() > deadline) && { runs };
    });
    if (runs) wrong.push(`${what}: its program runs on`);
  };

  return {
    async kill(kind, step) {
      const killed = await warmed(kind);
      await killed.arm('SIGKILL', step);
      const { call, settled, isOver } = send(killed, kind, `${kind}, killed at step ${step}`);
      await until(isOver);
      await kill();
      await settled;
      await requireEnded(call, endMs);
    },
    async disturb(kind, fault, { first, stride }) {
      // Records that could not be ended stay open until a restart.
      if (fault === 'canceled' && hasOpenRecords) await kill();
      hasOpenRecords = fault === 'log unwritable';
      const stopped = await warmed(kind);
      for (let step = first; ; step += stride) {
        await stopped.arm('SIGSTOP', step);
        const client = new AbortController();
        const what = `${kind}, ${fault} at step ${step}`;
        const { call, settled, isOver } = send(stopped, kind, what, client.signal);
        const isMet = await stopped.stops(isOver);
        if (fault === 'canceled') client.abort();
        if (fault === 'log unwritable') await rename(log, `${log}.away`);
        await stopped.disarm();
        await settled;
        if (fault === 'log unwritable') await rename(`${log}.away`, log);
        if (fault === 'canceled') {
          await until(async () => (await stopped.audit('?outcome=running')).length === 0);
          await requireEnded(call, 0);
        }
        if (!isMet) return step - stride;
      }
    },
    async lockLog(kinds) {
      for (const kind of kinds) await warmed(kind);
      const to = await warmed('answers');
      const other = new DatabaseSync(log);
      other.exec('BEGIN IMMEDIATE');
      await Promise.all(kinds.map((kind) => send(to, kind, `${kind}, log locked`).settled));
      other.close();
    },
    async check() {
      await kill();
      const retried = await faultyDaemon(folder, config);
      daemon = retried;
      for (const call of calls) {
        if (!call.isKeyed || call.answer?.status === 200) continue;
        call.answer = await request(retried, 'keyed', call.number);
      }
      await retried.stop('SIGTERM');
      const { events, flaws } = walkLog(log);
      const found = await Promise.all(
        calls.map(async (call) => {
          const file = join(effects, String(call.number));
          const times = existsSync(file) ? (await readFile(file, 'utf8')).split('\n').length - 1 : 0;
          return problemsOf(call, times, events).map((problem) => `${call.what}: ${problem}`);
        }),
      );
      return {
        answered: calls.filter(({ answer }) => answer?.status === 200).length,
        ran: (await readdir(effects)).length,
        wrong: [...wrong, ...flaws, ...found.flat()],
      };
    },
    close: kill,
  };
}

/** A program that appends a line for each run to a file named after its input. */
function program(entry: string, effects: string, then: string): Record<string, string> {
  const capabilities = { exec: ['sh', 'sleep'], filesystem: { write: [effects] } };
  return {
    'ambit.yaml': JSON.stringify({ run: { runtime: 'process', entry, capabilities } }),
    [entry]: `#!/bin/sh\nread -r number\necho ran >> ${effects}/"$number"\n${then}\n`,
  };
}

function request(
  daemon: Daemon,
  kind: CallKind,
  number: number,
  signal?: AbortSignal,
): ReturnType<Daemon['request']> {
  const skill = kind === 'keyed' ? 'writes' : kind;
  return daemon.request('POST', `/skills/${skill}/execute`, {
    body: { input: number },
    ...(kind === 'keyed' && { headers: { 'idempotency-key': `key-${number}` } }),
    ...(signal && { signal }),
  });
}

/** Whether a process runs this script. A sandbox that only names it among its arguments does not. */
async function isRunning(script: string): Promise<boolean> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return lines.some(
    (line) => /^\S*sh\0/.test(line) && line.endsWith(`${script}\0`) && !line.includes('bwrap'),
  );
}
