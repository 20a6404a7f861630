import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bubblewrapSandbox, wasmExecutor } from '../packages/runtime/src/index.ts';
import { noState } from '../packages/runtime/src/testing/no-state.ts';
import { postgres } from '../scripts/check/needs.mjs';
import { type Daemon, daemonProcess, repository } from '../test/support/daemon-process.ts';
import { type PostgresServer, startPostgres } from '../test/support/postgres-server.ts';
import { verdict } from './compare.ts';
import { bundledGrant, busyPool } from './load/busy-pool.ts';
import { loadGenerator } from './load/load-generator.ts';
import { promptsOverHttp } from './load/prompts-over-http.ts';
import { printedSummaries, type Slice, type Summary, slice, summary } from './load/slices.ts';

const connections = 32;
const value = { text: 'mail ada@example.org' };
const holds = '[redacted-email]';
const turnMs = 1000;
/** After these calls, engines have compiled hot code, which takes long on a busy machine. */
const warmUpCalls = 20_000;
const warmUpMsMax = 40_000;
const targets = { ofPool: 0.5, ofUnkeyed: 0.8, tail: 10, ofConstant: 10 };

/**
 * A saturated daemon: executions over HTTP, each authenticated and with durable records of its
 * start and end, in turn with the same executions under idempotency keys (stored in SQLite, and in PostgreSQL where it has
 * binaries), with the pool alone and with an empty Fastify route. Then prompts.
 */
export async function loadBench(folder: string, rounds: number): Promise<void> {
  const generator = loadGenerator();
  try {
    const turns = Math.max(2, Math.round(rounds / 20));
    const before = loadavg()[0] ?? 0;
    const { pool, executes, idempotent, inPostgres, constant } = await measured(folder, turns, generator.run);
    console.log(
      `Executions over HTTP: ${connections} at a time, ${turns} turns of ${turnMs} ms, load before ${before.toFixed(1)}\n`,
    );
    const summaries: Record<string, Summary> = {
      'the pool alone': pool,
      'a constant over HTTP': constant,
      'execute over HTTP': executes,
      'idempotent execute': idempotent,
    };
    if (inPostgres) summaries['the same, in PostgreSQL'] = inPostgres;
    console.log(printedSummaries(summaries));
    const ratio = executes.perSecond / pool.perSecond;
    const ofUnkeyed = idempotent.perSecond / executes.perSecond;
    if (inPostgres)
      console.log(
        `  in PostgreSQL, of an execute without a key: ${(inPostgres.perSecond / executes.perSecond).toFixed(2)}`,
      );
    const tail = executes.p99Ms / executes.p50Ms;
    verdict(ratio >= targets.ofPool, `at least ${targets.ofPool} of the pool alone: ${ratio.toFixed(2)}`);
    verdict(
      ofUnkeyed >= targets.ofUnkeyed,
      `idempotent, at least ${targets.ofUnkeyed} of an execute without a key: ${ofUnkeyed.toFixed(2)}`,
    );
    const ofConstant = executes.cpuUs.own / constant.cpuUs.own;
    verdict(
      ofConstant <= targets.ofConstant,
      `the daemon's CPU time of a call, at most ${targets.ofConstant} × a constant: ${ofConstant.toFixed(1)} ×`,
    );
    verdict(tail <= targets.tail, `p99 at most ${targets.tail} × p50: ${tail.toFixed(1)} ×`);
    console.log('');
    await promptsOverHttp(folder, turns, generator.run);
  } finally {
    generator.close();
  }
}

async function measured(
  folder: string,
  turns: number,
  run: ReturnType<typeof loadGenerator>['run'],
): Promise<
  Record<'pool' | 'executes' | 'idempotent' | 'constant', Summary> & { inPostgres: Summary | undefined }
> {
  const place = join(folder, 'executes');
  await mkdir(place);
  const sandbox = bubblewrapSandbox();
  const executor = wasmExecutor({ sandbox, state: noState });
  const grant = await bundledGrant('text-redact');
  const bare = fork(fileURLToPath(new URL('load/bare-http.ts', import.meta.url)), { execArgv: [] });
  const [bareUrl] = (await once(bare, 'message')) as [string];
  const daemon = await daemonProcess(place, {}, { logFile: join(place, 'log') });
  const server = postgres.why(repository) === undefined ? await startPostgres() : undefined;
  const other = server && (await daemonIn(join(folder, 'postgres'), server));
  const post = (url: string, ms: number, key = '', unique: { uniqueHeader?: string } = {}) =>
    run({
      url,
      connections,
      ms,
      holds,
      body: JSON.stringify({ input: value }),
      ...unique,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    });
  const execute = ({ url, key, pid }: Daemon, ms: number, unique = {}) =>
    slice(pid, () => post(`${url}/skills/text-redact/execute`, ms, key, unique));
  const keyed = { uniqueHeader: 'idempotency-key' };
  const contenders = {
    pool: (ms: number) =>
      slice(process.pid, () => busyPool({ executor, grant }, { lanes: connections, ms, value, holds })),
    executes: (ms: number) => execute(daemon, ms),
    idempotent: (ms: number) => execute(daemon, ms, keyed),
    inPostgres: other && ((ms: number) => execute(other, ms, keyed)),
    constant: (ms: number) => slice(bare.pid ?? 0, () => post(bareUrl, ms)),
  };
  const slices: Record<keyof typeof contenders, Slice[]> = {
    pool: [],
    executes: [],
    idempotent: [],
    inPostgres: [],
    constant: [],
  };
  try {
    for (const contender of Object.values(contenders)) if (contender) await warmUp(contender);
    for (let turn = 0; turn < turns; turn++) {
      slices.pool.push(await contenders.pool(turnMs));
      slices.executes.push(await contenders.executes(turnMs));
      slices.idempotent.push(await contenders.idempotent(turnMs));
      if (contenders.inPostgres) slices.inPostgres.push(await contenders.inPostgres(turnMs));
      slices.constant.push(await contenders.constant(turnMs));
    }
  } finally {
    await daemon.stop();
    await other?.stop();
    await server?.stop();
    await executor.close?.();
    await sandbox.close?.();
    bare.kill();
  }
  return {
    pool: summary(slices.pool),
    executes: summary(slices.executes),
    idempotent: summary(slices.idempotent),
    inPostgres: other && summary(slices.inPostgres),
    constant: summary(slices.constant),
  };
}

/** A daemon that stores in that server. */
async function daemonIn(folder: string, { host, port, user }: PostgresServer): Promise<Daemon> {
  await mkdir(folder);
  return daemonProcess(
    folder,
    { store: { postgres: { url: `postgres://${user}@${host}:${port}/postgres` } } },
    { logFile: join(folder, 'log') },
  );
}

async function warmUp(contender: (ms: number) => Promise<Slice>): Promise<void> {
  const until = performance.now() + warmUpMsMax;
  for (let calls = 0; calls < warmUpCalls && performance.now() < until; )
    calls += (await contender(turnMs)).latenciesMs.length;
}
