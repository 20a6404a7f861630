import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { walkLog } from '../../packages/server/src/audit/testing/walk-log.ts';
import { type Daemon, daemonProcess } from './daemon-process.ts';
import { writeSkills } from './skills.ts';

/** What came of the rounds: how many calls were answered, how many records had no end, and all that was wrong. */
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

/** How many clients call at once. */
const clients = 12;
/** The kill comes within this time after the first calls of a round were sent. */
const killWithinMs = 1000;

/** An answered call, and what its answer said. */
interface Answered {
  executionId: string;
  status: number;
  /** `null` for a refusal, which does not say. */
  position: { sequence: number; hash: string } | null;
}

/**
 * Loads the real daemon with calls, kills it at a random moment, and looks at what lies on the disk; round after round
 * on one log, which the next daemon takes over. Every answered call has its whole record there, no record is half, the
 * chain holds, and what had no end is interrupted by the daemon that comes next.
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
    const answered = await loadUntilKilled(daemon, random);
    const { events, flaws } = walkLog(log);
    const say = (what: string): void => void report.wrong.push(`round ${round}: ${what}`);
    flaws.forEach(say);
    const byExecution = Map.groupBy(events, ({ event }) => event.executionId);
    for (const call of answered) {
      const kinds = byExecution.get(call.executionId)?.map(({ event }) => event.kind) ?? [];
      if (!isWhole(kinds)) say(`${call.executionId} was answered with ${call.status} and has ${kinds}`);
      const last = byExecution.get(call.executionId)?.at(-1);
      if (call.position !== null && last?.sequence !== call.position.sequence)
        say(
          `${call.executionId} was told that it ends at ${call.position.sequence}; it does at ${last?.sequence}`,
        );
    }
    for (const id of openBefore) {
      const kinds = byExecution.get(id)?.map(({ event }) => event.kind);
      if (kinds?.at(-1) !== 'call.interrupted') say(`${id} was open and is not interrupted: ${kinds}`);
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

/** Calls that succeed, that run too long, and that are refused on every way there is. */
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

async function loadUntilKilled(daemon: Daemon, random: () => number): Promise<Answered[]> {
  const answered: Answered[] = [];
  let isOver = false;
  const client = async (): Promise<void> => {
    while (!isOver) {
      const [path, body, headers] = calls[Math.floor(random() * calls.length)] ?? ['/nowhere', {}];
      const answer = await daemon
        .request('POST', path, { body, ...(headers === undefined ? {} : { headers }) })
        // The connection of a killed daemon breaks, also in the middle of an answer.
        .catch(() => undefined);
      if (answer === undefined) return;
      answered.push({
        executionId: answer.body.executionId,
        status: answer.status,
        position: answer.body.audit ?? null,
      });
    }
  };
  const load = Array.from({ length: clients }, client);
  await delay(random() * killWithinMs);
  await daemon.stop('SIGKILL');
  isOver = true;
  await Promise.all(load);
  return answered;
}

/** Opened and ended, or refused before routing. */
function isWhole(kinds: readonly string[]): boolean {
  if (kinds.length === 1) return ['request.denied', 'auth.rejected'].includes(kinds[0] ?? '');
  return kinds.length === 2 && kinds[0] === 'call.started';
}
