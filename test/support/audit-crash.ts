import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { walkLog } from '../../packages/server/src/audit/testing/walk-log.ts';
import { type Daemon, daemonProcess } from './daemon-process.ts';
import { writeSkills } from './skills.ts';

/** The totals of all rounds and everything that was wrong. */
export interface CrashReport {
  answered: number;
  refused: number;
  interrupted: number;
  events: number;
  wrong: string[];
}

export interface CrashOptions {
  /** Holds the skills, the configuration and the data. */
  folder: string;
  rounds: number;
  /** In [0, 1). */
  random: () => number;
  onRound?(round: number, report: CrashReport): void;
}

/** The number of concurrent clients. */
const clients = 12;
/** The daemon is killed within this time after the first calls of a round, in every second one after the first answer. */
const killWithinMs = 1000;

/** An answered call and the content of its answer. */
interface Answered {
  executionId: string;
  status: number;
  /** `null` for a refusal, which has none. */
  position: { sequence: number; hash: string } | null;
}

/**
 * Sends calls to the real daemon, kills it at a random moment and examines its files, repeatedly on
 * one log. Every answered call must have a complete record, no record may be partial, the chain
 * must be intact, and the next daemon must mark open calls as interrupted.
 */
export async function crashRounds({ folder, rounds, random, onRound }: CrashOptions): Promise<CrashReport> {
  await writeSkills(join(folder, 'skills'), skills);
  const config = {
    skills: [{ path: join(folder, 'skills'), tier: 'local' }],
    limits: { concurrency: 8, queue: 256 },
    logLevel: 'error',
  };
  const report: CrashReport = { answered: 0, refused: 0, interrupted: 0, events: 0, wrong: [] };
  const log = join(folder, 'data/audit.db');
  let openBefore = new Set<string>();
  for (let round = 1; round <= rounds; round++) {
    const daemon = await daemonProcess(folder, config);
    const answered = await loadUntilKilled(daemon, random, round % 2 === 1);
    const { events, flaws } = walkLog(log);
    const addProblem = (what: string): void => void report.wrong.push(`round ${round}: ${what}`);
    flaws.forEach(addProblem);
    const byExecution = Map.groupBy(events, ({ event }) => event.executionId);
    for (const call of answered) {
      const kinds = byExecution.get(call.executionId)?.map(({ event }) => event.kind) ?? [];
      if (!isWhole(kinds))
        addProblem(`${call.executionId} was answered with ${call.status} and has the events ${kinds}`);
      const last = byExecution.get(call.executionId)?.at(-1);
      if (call.position !== null && last?.sequence !== call.position.sequence)
        addProblem(
          `${call.executionId} reported its end at ${call.position.sequence}, but it is at ${last?.sequence}`,
        );
    }
    for (const id of openBefore) {
      const kinds = byExecution.get(id)?.map(({ event }) => event.kind);
      if (kinds?.at(-1) !== 'call.interrupted')
        addProblem(`${id} was open and is not marked as interrupted: ${kinds}`);
    }
    openBefore = new Set(
      [...byExecution].flatMap(([id, of]) =>
        id !== undefined && of.length === 1 && of[0]?.event.kind === 'call.started' ? [id] : [],
      ),
    );
    report.answered += answered.length;
    report.refused += answered.filter(({ status }) => status !== 200).length;
    report.interrupted += openBefore.size;
    report.events = events.length;
    onRound?.(round, report);
  }
  return report;
}

const skills = {
  quick: {
    'ambit.yaml': JSON.stringify({ run: { runtime: 'wasm', entry: 'scripts/run.js' } }),
    'scripts/run.js': 'export default (input) => ({ back: input });\n',
  },
  spins: {
    'ambit.yaml': JSON.stringify({
      run: { runtime: 'wasm', entry: 'scripts/run.js', limits: { timeoutMs: 200 } },
    }),
    'scripts/run.js': 'export default () => { for (;;); };\n',
  },
};

/** Calls that succeed, that time out, and that are refused for every kind of reason. */
const calls: readonly (readonly [path: string, body: unknown, headers?: Record<string, string>])[] = [
  ['/skills/quick/execute', { input: { text: 'x'.repeat(400) } }],
  ['/skills/quick/execute', { input: 1 }],
  ['/skills/quick/execute', { input: 1 }],
  ['/skills/spins/execute', { input: 1 }],
  ['/skills/nobody/execute', { input: 1 }],
  ['/skills/quick/execute', { wrong: true }],
  ['/nowhere', {}],
  ['/skills/quick/execute', { input: 1 }, { authorization: 'Bearer wrong' }],
];

async function loadUntilKilled(
  daemon: Daemon,
  random: () => number,
  afterAnswer: boolean,
): Promise<Answered[]> {
  const answered: Answered[] = [];
  const first = Promise.withResolvers<void>();
  let isStopped = false;
  const client = async (): Promise<void> => {
    while (!isStopped) {
      const [path, body, headers] = calls[Math.floor(random() * calls.length)] ?? ['/nowhere', {}];
      const answer = await daemon
        .request('POST', path, { body, ...(headers === undefined ? {} : { headers }) })
        // The connection to a killed daemon breaks, even in the middle of an answer.
        .catch(() => undefined);
      if (answer === undefined) return;
      answered.push({
        executionId: answer.body.executionId,
        status: answer.status,
        position: answer.body.audit ?? null,
      });
      first.resolve();
    }
  };
  const load = Array.from({ length: clients }, client);
  if (afterAnswer) await first.promise;
  await delay(random() * killWithinMs);
  await daemon.stop('SIGKILL');
  isStopped = true;
  await Promise.all(load);
  return answered;
}

/** Started and ended, or refused before routing. */
function isWhole(kinds: readonly string[]): boolean {
  if (kinds.length === 1) return ['request.denied', 'auth.rejected'].includes(kinds[0] ?? '');
  return kinds.length === 2 && kinds[0] === 'call.started';
}
