import { existsSync } from 'node:fs';
import { chmod, mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { asAdministrator } from '../../../packages/server/src/store/testing/postgres-databases.ts';
import { type Daemon, daemonProcess } from '../daemon-process.ts';
import { limited } from '../limited.ts';
import type { PostgresServer } from '../postgres-server.ts';
import { type CrashReport, type Finding, nothingAcknowledged } from './acknowledged.ts';
import { checkConsistency, checkLog, checkRuns, checkSqliteFile, checkStored, type Query } from './checks.ts';
import { crashSkills, load, type World } from './load.ts';

export interface StoreCrashOptions {
  /** Holds the skills, the configuration and the data. */
  folder: string;
  rounds: number;
  /** In [0, 1). */
  random: () => number;
  /** The store is a database of this server, which is killed in some rounds; absent: SQLite. */
  server?: PostgresServer;
  /** Ends the run after the current round. */
  signal?: AbortSignal;
  onRound?(report: CrashReport): void;
  /** Receives each finding in the round that found it, with the logs that may explain it. */
  onFinding?(kind: Finding, text: string): void;
}

/** In most rounds the daemon is killed within this time after the first acknowledged call, in the others after its start. */
const killWithinMs = 700;
const firstCallMs = 3000;
/** Rounds between two verifications of the whole log. */
const logRounds = 10;
/** The number of earlier rounds that each one checks again. The last check covers everything. */
const sampled = 10;
const database = 'crashes';
/** For each part of a round; the last check, of everything, is the longest. */
const limitSeconds = { start: 300, check: 900, crash: 300, load: 300, stop: 300 };

/**
 * Sends changes to the real daemon, kills it at a random moment and starts it again, repeatedly on one store. Every
 * acknowledged change must be present, and no call with an idempotency key may run twice. Rejects if any part of a round
 * takes too long.
 */
export async function storeCrashRounds(options: StoreCrashOptions): Promise<CrashReport> {
  const stopping = new AbortController();
  try {
    return await allRounds(options, stopping.signal);
  } finally {
    stopping.abort();
  }
}

async function allRounds(options: StoreCrashOptions, stopped: AbortSignal): Promise<CrashReport> {
  const { rounds, random, server, signal, onRound, onFinding } = options;
  const folder = await realpath(options.folder);
  const world: World = {
    folder,
    random,
    stopped,
    runs: join(folder, 'runs'),
    env: { XDG_DATA_HOME: join(folder, 'trust') },
  };
  await mkdir(world.runs, { recursive: true });
  await chmod(world.runs, 0o777);
  if (server !== undefined) await asAdministrator(server, `CREATE DATABASE ${database}`);
  const config = {
    ...(await crashSkills(world)),
    ...(server === undefined ? {} : { store: { postgres: { url: urlOf(server) } } }),
    limits: { concurrency: 4, queue: 256 },
    logLevel: 'warn',
  };
  const dataDir = join(folder, 'data');
  const acknowledged = nothingAcknowledged();
  const doubled = new Set<string>();
  const report: CrashReport = {
    rounds: 0,
    acknowledged: { calls: 0, state: 0, files: 0, keys: 0 },
    interrupted: 0,
    unstored: 0,
    lost: [],
    doubled: [],
    wrong: [],
  };
  const endings: string[] = [];
  const explain = findings(report, endings, onFinding);
  let [recentCalls, recentKeys]: [string[], string[]] = [[], []];
  for (let round = 1; ; round++) {
    const daemon = await limited(`the daemon of round ${round} to start`, limitSeconds.start, (late) =>
      daemonProcess(folder, config, { env: world.env, signal: AbortSignal.any([late, stopped]) }),
    );
    const isLast = round > rounds || signal?.aborted === true;
    const [allCalls, allKeys] = [[...acknowledged.calls.keys()], [...acknowledged.keys.keys()]];
    const some = (all: string[]): string[] =>
      Array.from(
        { length: Math.min(sampled, all.length) },
        () => all[Math.floor(random() * all.length)] ?? '',
      );
    await limited(`the checks of round ${round}`, limitSeconds.check, async () => {
      await checkStored(daemon, acknowledged, report, {
        calls: isLast ? allCalls : [...recentCalls, ...some(allCalls)],
        keys: isLast ? allKeys : [...recentKeys, ...some(allKeys)],
      });
      await checkRuns(world.runs, acknowledged, doubled, report);
      if (round > 1) await checkConsistency(queryOf(dataDir, server), report);
    });
    for (const file of ['store.db', 'keys.db'].map((name) => join(dataDir, name)))
      if (existsSync(file)) checkSqliteFile(file, report);
    for (const line of daemon.logged().split('\n'))
      if (line !== '' && !line.includes('closed the calls of a killed daemon as interrupted'))
        report.wrong.push(`the daemon logged ${line.slice(0, 500)}`);
    explain(round);
    if (isLast) {
      await limited('the last daemon to end', limitSeconds.stop, () => daemon.stop('SIGKILL'));
      checkLog(dataDir, report);
      explain(round);
      return report;
    }
    acknowledged.workspace ??= (await daemon.request('POST', '/workspaces', { body: {} })).body.id;
    const ended = new AbortController();
    const loading = load(
      ...([daemon, world, acknowledged, report, round] as const),
      AbortSignal.any([ended.signal, stopped]),
    );
    const { calls } = report.acknowledged;
    if (random() < 0.75) await within(firstCallMs, () => report.acknowledged.calls > calls);
    const ending = await limited(`the crash of round ${round}`, limitSeconds.crash, () =>
      crash(daemon, random, server, ended),
    );
    await limited(`the clients of round ${round} to end`, limitSeconds.load, () => loading);
    endings[round] = `Round ${round}: ${ending}. Its daemon logged:\n${daemon.logged().slice(-8000)}`;
    const [before, keysBefore] = [new Set(allCalls), new Set(allKeys)];
    recentCalls = [...acknowledged.calls.keys()].filter((key) => !before.has(key));
    recentKeys = [...acknowledged.keys.keys()].filter((name) => !keysBefore.has(name));
    if (round % logRounds === 0) checkLog(dataDir, report);
    explain(round);
    report.rounds = round;
    onRound?.(report);
  }
}

/** Adds to each new finding its round, and how the rounds ended that it may come from: its own, and the latest. */
function findings(
  report: CrashReport,
  endings: readonly string[],
  onFinding: StoreCrashOptions['onFinding'],
): (round: number) => void {
  const explained = { lost: 0, doubled: 0, wrong: 0 };
  return (round) => {
    for (const kind of ['lost', 'doubled', 'wrong'] as const)
      for (; explained[kind] < report[kind].length; explained[kind]++) {
        const text = report[kind][explained[kind]] ?? '';
        const origin = Number(/\br(\d+)-/.exec(text)?.[1] ?? round);
        const rounds = [...new Set([origin, round - 1, round])].filter((each) => endings[each] !== undefined);
        const whole = [`found in round ${round}: ${text}`, ...rounds.map((each) => endings[each])].join('\n');
        report[kind][explained[kind]] = whole;
        onFinding?.(kind, whole);
      }
  };
}

/** Resolves when something is true, or after this time. */
async function within(timeoutMs: number, isTrue: () => boolean): Promise<void> {
  const until = performance.now() + timeoutMs;
  while (!isTrue() && performance.now() < until) await delay(5);
}

/**
 * Kills the daemon, and the server in half of the rounds: before it, with it, or a while before with a restart in between.
 * Resolves to what it did.
 */
async function crash(
  daemon: Daemon,
  random: () => number,
  server: PostgresServer | undefined,
  ended: AbortController,
): Promise<string> {
  await delay(random() * killWithinMs);
  const killDaemon = async (): Promise<void> => {
    await daemon.stop('SIGKILL');
    ended.abort();
  };
  const way = random();
  if (server === undefined || way < 0.5) {
    await killDaemon();
    return 'the daemon was killed';
  }
  if (way < 0.65) {
    await Promise.all([server.kill(), killDaemon()]);
    await server.start();
    return 'the server and the daemon were killed together';
  }
  await server.kill();
  const waitMs = Math.round(random() * (way < 0.8 ? 200 : killWithinMs));
  if (way < 0.8) {
    await delay(waitMs);
    await killDaemon();
    await server.start();
    return `the server was killed, and the daemon ${waitMs} ms later`;
  }
  await server.start();
  await delay(waitMs);
  await killDaemon();
  return `the server was killed and started, and the daemon was killed ${waitMs} ms later`;
}

function urlOf({ host, port, user }: PostgresServer): string {
  return `postgres://${user}@${host}:${port}/${database}`;
}

function queryOf(dataDir: string, server: PostgresServer | undefined): Query {
  if (server !== undefined)
    return (statement) => asAdministrator(server, statement.replace(/(?<=FROM )(?=\w)/g, 'ambit.'), database);
  return async (statement) => {
    const file = new DatabaseSync(join(dataDir, 'store.db'), { readOnly: true });
    try {
      return file.prepare(statement).all();
    } finally {
      file.close();
    }
  };
}
