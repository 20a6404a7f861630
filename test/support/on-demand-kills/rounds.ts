import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { walkLog } from '../../../packages/server/src/audit/testing/walk-log.ts';
import { recordsOf, wholeRecord } from '../faults/fault-problems.ts';
import { until } from '../until.ts';
import { type Attempt, agent, type Command, plainCommand, randomDelay, runCommand } from './commands.ts';
import { faults, kill } from './faults.ts';
import type { Limits } from './limits.ts';
import { type ProcessWatch, watchProcesses } from './processes.ts';
import { type CallKind, callKinds, type World } from './world.ts';

/** The totals of all rounds. */
export interface KillReport {
  rounds: number;
  calls: number;
  answered: number;
  interrupted: number;
  /** The longest time in which a daemon ended after the last command of a round. */
  slowestEndMs: number;
  /** The failures of commands that a fault explains, by its name and their codes. */
  excused: Record<string, number>;
  wrong: string[];
}

interface RoundsOptions {
  world: World;
  rounds: number;
  /** In [0, 1). */
  random: () => number;
  /** The names of the faults, which take turns. */
  names: readonly string[];
  /** Words before a command that may start only a few processes. */
  fewProcesses: Limits['fewProcesses'];
  /** Ends the rounds. It has interrupted the commands of the current one too, which does not count. */
  signal: AbortSignal;
  onRound(round: number, fault: string, report: KillReport): void;
}

/** Longer than anything takes on a busy machine. */
const patienceMs = 90_000;

/**
 * Starts commands and agents at the same moment, without a daemon, and lets one fault strike them, repeatedly in one data
 * directory. There must never be two daemons, and nothing that outlives the last of them. Every answer must be in the log once,
 * and every call there must have an end, at the latest after the next start, which must succeed.
 */
export async function killRounds(options: RoundsOptions): Promise<KillReport> {
  const { world, rounds, names, signal, onRound } = options;
  const report: KillReport = {
    rounds: 0,
    calls: 0,
    answered: 0,
    interrupted: 0,
    slowestEndMs: 0,
    excused: {},
    wrong: [],
  };
  let number = 0;
  const nextNumber = (): number => ++number;
  let wrong: string[] = [];
  const addProblem = (problem: string): void => void wrong.push(problem);
  const watch = watchProcesses(world, addProblem);
  try {
    for (let round = 1; round <= rounds; round++) {
      const name = names[(round - 1) % names.length] ?? 'nothing';
      wrong = [];
      await oneRound({ ...options, name, nextNumber, watch, report, addProblem });
      if (signal.aborted) break;
      report.wrong.push(...wrong.map((each) => `round ${round}, ${name}: ${each}`));
      report.rounds = round;
      onRound(round, name, report);
    }
    return report;
  } finally {
    kill(watch);
    watch.stop();
  }
}

interface RoundOptions extends RoundsOptions {
  name: string;
  nextNumber(): number;
  watch: ProcessWatch;
  report: KillReport;
  addProblem(problem: string): void;
}

async function oneRound(options: RoundOptions): Promise<void> {
  const { world, name, random, watch, report, nextNumber, addProblem } = options;
  const fault = faults[name] ?? { excuses: 'none', strike: async () => undefined };
  const current = { world, program: world.programs.current };
  const newAttempt = (kind: CallKind): Attempt => ({ kind, number: nextNumber() });
  const requireServed = async (command: Command, what: string): Promise<void> => {
    const failure = await limited(command, addProblem);
    if (failure !== undefined) addProblem(`${what}: ${command.words}: ${failure}`);
  };

  if (fault.leftSocket) {
    await requireServed(runCommand(current, newAttempt('answers')), 'before a kill');
    kill(watch);
  }
  const resumed = Promise.withResolvers<void>();
  const commands = startCommands(options, newAttempt, resumed.promise);
  let open = commands.length;
  const ends = commands.map(async (command) => {
    const failure = await limited(command, addProblem);
    open -= 1;
    return failure;
  });
  const serving = random() < 0.15 ? serve(options) : undefined;
  const struck = await fault.strike({
    world,
    watch,
    random,
    commands,
    isOver: () => open === 0,
    resume: resumed.resolve,
  });
  resumed.resolve();
  const failures = await Promise.all(ends);
  for (const [at, failure] of failures.entries()) {
    const command = commands[at];
    if (failure === undefined || command === undefined) continue;
    if (fault.excuses === 'all' || command === struck) count(report.excused, `${name}: ${codeIn(failure)}`);
    else addProblem(`${command.words}: ${failure}`);
  }
  await serving?.end(fault.excuses === 'all');

  const next = runCommand(current, newAttempt('answers'));
  await requireServed(next, 'the next start');
  await requireServed(plainCommand(current, 'audit', 'verify'), 'the log');
  if (random() < 0.3) await requireServed(plainCommand(current, 'stop'), 'the end');
  await requireEnd(options);

  const { events, flaws } = walkLog(join(world.dataDir, 'audit.db'));
  flaws.forEach(addProblem);
  const attempts = [...commands, next].flatMap((command) => command.attempts);
  for (const attempt of attempts) {
    const { kind, number, answer } = attempt;
    const records = recordsOf(events, number);
    for (const problem of problemsOf(attempt, records, timesOf(world, number)))
      addProblem(`${kind} ${number}${answer === undefined ? '' : ', answered'}: ${problem}`);
    if ([...records.values()].flat().some(({ event }) => event.kind === 'call.interrupted'))
      report.interrupted += 1;
  }
  report.calls += attempts.length;
  report.answered += attempts.filter(({ answer }) => answer !== undefined).length;
}

function startCommands(
  { world, name, random, fewProcesses }: RoundOptions,
  newAttempt: (kind: CallKind) => Attempt,
  resumed: Promise<void>,
): Command[] {
  const fault = faults[name];
  const anyKind = (): CallKind => callKinds[Math.floor(random() * callKinds.length)] ?? 'answers';
  const newCommand = (_: unknown, at: number): Command => {
    const isOther = fault?.otherVersions === true && random() < 0.5;
    const options = { world, program: isOther ? world.programs.other : world.programs.current };
    if (at === 0 && fault?.agentWaits)
      return agent(options, [newAttempt('answers'), newAttempt('answers')], (call) =>
        call === 0 ? Promise.resolve() : resumed,
      );
    if (at === 0 && fault?.fewProcesses) {
      const prefix = fewProcesses?.(8 + Math.floor(random() * 24)) ?? [];
      return runCommand({ ...options, prefix }, newAttempt('answers'));
    }
    const any = random();
    if (any < 0.5) return runCommand(options, newAttempt(anyKind()));
    if (any < 0.8)
      return agent(options, [newAttempt(anyKind()), newAttempt(anyKind())], () => randomDelay(random, 500));
    if (any < 0.93) return plainCommand(options, 'audit', '--json');
    return plainCommand(options, 'stop');
  };
  return Array.from({ length: fault?.commands ?? 2 + Math.floor(random() * 5) }, newCommand);
}

/** `ambit serve`, which runs until the other commands have ended. */
function serve({ world, addProblem }: RoundOptions): { end(isExcused: boolean): Promise<void> } {
  const command = plainCommand({ world, program: world.programs.current }, 'serve', '--port', '0');
  return {
    async end(isExcused) {
      const pid = command.pid();
      // A daemon that was killed by the fault, or ended by `ambit stop`, has ended before.
      if (pid !== undefined && existsSync(`/proc/${pid}`)) process.kill(pid, 'SIGTERM');
      const failure = await limited(command, addProblem);
      if (failure !== undefined && !isExcused) addProblem(`serve: ${failure}`);
    },
  };
}

/** Waits until nothing of the daemons is left. */
async function requireEnd({ world, watch, report, addProblem }: RoundOptions): Promise<void> {
  const begunAt = performance.now();
  const left = (): string[] => [...watch.daemons().map(({ pid }) => `daemon ${pid}`), ...watch.left()];
  await until(async () => left().length === 0 || performance.now() > begunAt + patienceMs);
  for (const each of left()) addProblem(`still runs: ${each}`);
  report.slowestEndMs = Math.max(report.slowestEndMs, Math.round(performance.now() - begunAt));
  // If no daemon has started yet, there is no folder.
  const sockets = existsSync(world.sockets) ? readdirSync(world.sockets) : [];
  if (sockets.length > 0) addProblem(`its last daemon has left the folders ${sockets.join(', ')}`);
  if (existsSync(join(world.dataDir, 'daemon.json'))) addProblem('its last daemon has left daemon.json');
}

/** The failure of a command, which is killed if it does not end. */
async function limited(command: Command, addProblem: (problem: string) => void): Promise<string | undefined> {
  const timer = setTimeout(() => {
    addProblem(`${command.words} does not end`);
    const pid = command.pid();
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  }, patienceMs);
  try {
    return await command.ended;
  } finally {
    clearTimeout(timer);
  }
}

/** The number of times that a program had its effect. */
function timesOf({ effects }: World, number: number): number {
  const file = join(effects, String(number));
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
}

function problemsOf({ answer }: Attempt, records: ReturnType<typeof recordsOf>, times: number): string[] {
  const kinds = [...records.values()].map((record) => record.map(({ event }) => event.kind).join(', '));
  const problems: string[] = [];
  if (times > 1) problems.push(`it ran ${times} times`);
  if (times === 1 && kinds.length === 0) problems.push('it ran, and has no record');
  if (kinds.length > 1) problems.push(`it has ${kinds.length} records: ${kinds.join('; ')}`);
  for (const each of kinds) if (!wholeRecord.test(each)) problems.push(`its record is ${each}`);
  if (answer === undefined) return problems;
  const last = records.get(answer.executionId)?.at(-1);
  if (last?.event.kind !== 'call.finished') problems.push(`its record is ${kinds.join('; ') || 'missing'}`);
  else if (
    last.sequence !== answer.sequence ||
    (answer.status ?? last.event['outcome']) !== last.event['outcome']
  )
    problems.push(`it reported ${answer.status} at ${answer.sequence}, unlike its record`);
  return problems;
}

function count(totals: Record<string, number>, key: string): void {
  totals[key] = (totals[key] ?? 0) + 1;
}

/** The code of an error, or the end of a command. */
function codeIn(failure: string): string {
  return /\b[A-Z]{3,}(?:_[A-Z]+)+\b/.exec(failure)?.[0] ?? failure.slice(0, 80);
}
