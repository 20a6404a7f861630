import { existsSync } from 'node:fs';
import { chmod, mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { asAdministrator } from '../../../packages/server/src/store/testing/postgres-databases.ts';
import { type Daemon, daemonProcess } from '../daemon-process.ts';
import type { PostgresServer } from '../postgres-server.ts';
import { type CrashReport, nothingAcknowledged } from './acknowledged.ts';
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
}

/** In most rounds the daemon is killed within this time after the first acknowledged call, in the others after its start. */
const killWithinMs = 700;
const firstCallMs = 3000;
/** Rounds between two verifications of the whole log. */
const logRounds = 10;
/** Of earlier rounds, checked again in each one. The last check covers everything. */
const sampled = 10;
const database = 'crashes';

/**
 * Sends changes to the real daemon, kills it at a random moment and starts it again, repeatedly on one store. Every
 * acknowledged change must be present, and no call with an idempotency key may run twice.
 */
export async function storeCrashRounds(options: StoreCrashOptions): Promise<CrashReport> {
  const { rounds, random, server, signal, onRound } = options;
  const folder = await realpath(options.folder);
  const world: World = {
    ...{ folder, random, runs: join(folder, 'runs') },
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
    ...{ rounds: 0, acknowledged: { calls: 0, state: 0, files: 0, keys: 0 }, interrupted: 0, unstored: 0 },
    ...{ lost: [], doubled: [], wrong: [] },
  };
  let [recentCalls, recentKeys]: [string[], string[]] = [[], []];
  for (let round = 1; ; round++) {
    const daemon = await daemonProcess(folder, config, { env: world.env });
    const isLast = round > rounds || signal?.aborted === true;
    const [allCalls, allKeys] = [[...acknowledged.calls.keys()], [...acknowledged.keys.keys()]];
    const some = (all: string[]): string[] =>
      Array.from(
        { length: Math.min(sampled, all.length) },
        () => all[Math.floor(random() * all.length)] ?? '',
      );
    await checkStored(daemon, acknowledged, report, {
      calls: isLast ? allCalls : [...recentCalls, ...some(allCalls)],
      keys: isLast ? allKeys : [...recentKeys, ...some(allKeys)],
    });
    await checkRuns(world.runs, acknowledged, doubled, report);
    if (round > 1) await checkConsistency(queryOf(dataDir, server), report);
    for (const file of ['store.db', 'keys.db'].map((name) => join(dataDir, name)))
      if (existsSync(file)) checkSqliteFile(file, report);
    for (const line of daemon.logged().split('\n'))
      if (line !== '' && !line.includes('closed the calls of a killed daemon as interrupted'))
        report.wrong.push(`round ${round}: the daemon logged ${line.slice(0, 500)}`);
    if (isLast) {
      await daemon.stop('SIGKILL');
      checkLog(dataDir, report);
      return report;
    }
    acknowledged.workspace ??= (await daemon.request('POST', '/workspaces', { body: {} })).body.id;
    const ended = new AbortController();
    const loading = load(daemon, world, acknowledged, report, round, ended.signal);
    const { calls } = report.acknowledged;
    if (random() < 0.75) await within(firstCallMs, () => report.acknowledged.calls > calls);
    await crash(daemon, random, server, ended);
    await loading;
    // The database was gone when their response was to be stored, which the daemon logged.
    for (const [key, { executionId }] of acknowledged.calls)
      if (executionId !== undefined && server !== undefined && daemon.logged().includes(executionId)) {
        acknowledged.calls.delete(key);
        report.unstored += 1;
      }
    const [before, keysBefore] = [new Set(allCalls), new Set(allKeys)];
    recentCalls = [...acknowledged.calls.keys()].filter((key) => !before.has(key));
    recentKeys = [...acknowledged.keys.keys()].filter((name) => !keysBefore.has(name));
    if (round % logRounds === 0) checkLog(dataDir, report);
    report.rounds = round;
    onRound?.(report);
  }
}

/** Resolves when something is true, or after this time. */
async function within(timeoutMs: number, isTrue: () => boolean): Promise<void> {
  const until = performance.now() + timeoutMs;
  while (!isTrue() && performance.now() < until) await delay(5);
}

/** Kills the daemon, and the server in half of the rounds: before it, with it, or a while before with a restart in between. */
async function crash(
  daemon: Daemon,
  random: () => number,
  server: PostgresServer | undefined,
  ended: AbortController,
): Promise<void> {
  await delay(random() * killWithinMs);
  const killDaemon = async (): Promise<void> => {
    await daemon.stop('SIGKILL');
    ended.abort();
  };
  const way = random();
  if (server === undefined || way < 0.5) return killDaemon();
  if (way < 0.65) {
    await Promise.all([server.kill(), killDaemon()]);
    return server.start();
  }
  await server.kill();
  if (way < 0.8) {
    await delay(random() * 200);
    await killDaemon();
    return server.start();
  }
  await server.start();
  await delay(random() * killWithinMs);
  await killDaemon();
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
