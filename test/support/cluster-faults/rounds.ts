import { setTimeout as delay } from 'node:timers/promises';
import { runsIn, violationsIn } from '../cluster-load/check-history.ts';
import { acknowledgedCalls, type History, meaningOf, newHistory } from '../cluster-load/history.ts';
import { type KeyedCall, sendOnce, sendUntilAnswered } from '../cluster-load/keyed-calls.ts';
import { limited } from '../limited.ts';
import { type FaultWorld, faultWorld } from './fault-world.ts';
import { faults } from './faults.ts';
import { type FileWrites, fileWrites } from './file-writes.ts';

export interface FaultOptions {
  folder: string;
  rounds: number;
  /** In [0, 1). */
  random(): number;
  /** Only faults whose name contains this text. */
  only?: string | undefined;
  /** Ends the rounds after the current one. */
  signal: AbortSignal;
  onRound(report: FaultReport, did: string): void;
}

/** The totals of all rounds. */
export interface FaultReport {
  /** The mode of the nodes, chosen at the start. */
  audit: FaultWorld['audit'];
  rounds: number;
  /** Requests with idempotency keys, and the keys whose call was acknowledged. */
  requests: number;
  acknowledged: number;
  /** Keys whose call may have run and has no answer. */
  interrupted: number;
  /** Answers that their node could not store, marked as such. */
  unstored: number;
  writes: number;
  /** Each with its round, its fault and what its clients saw. */
  violations: string[];
}

const clients = 4;
const pauseMs = 30;
/** The number of acknowledged calls of earlier rounds that are replayed again. */
const sampled = 5;
const recordsSampled = 10;
const limitSeconds = { start: 600, fault: 300, clients: 120, check: 300 };

/** Disturbs three nodes and their database under load, repeatedly, and checks what the clients saw. */
export async function faultRounds(options: FaultOptions): Promise<FaultReport> {
  const { folder, rounds, random, only = '', signal, onRound } = options;
  const chosen = Object.entries(faults).filter(([name]) => name.includes(only));
  if (chosen.length === 0) throw new Error(`no fault is called ${only}`);
  const audit = random() < 0.5 ? 'local' : 'shipped';
  const world = await limited('the nodes to start', limitSeconds.start, () => faultWorld(folder, audit));
  const report: FaultReport = {
    audit,
    rounds: 0,
    requests: 0,
    acknowledged: 0,
    interrupted: 0,
    unstored: 0,
    writes: 0,
    violations: [],
  };
  const earlier = new Map<string, string>();
  try {
    const files = await fileWrites(world);
    for (let round = 1; round <= rounds && !signal.aborted; round++) {
      const [name, fault] = chosen[Math.floor(random() * chosen.length)] ?? [];
      if (name === undefined || fault === undefined) throw new Error('no fault was chosen');
      const history = newHistory();
      const violate = (what: string): void => void report.violations.push(`round ${round}, ${name}: ${what}`);
      const ended = new AbortController();
      const loading = load({ world, random, history, files, round, violate }, ended.signal);
      await delay(300 + random() * 700);
      const did = await limited(name, limitSeconds.fault, () => fault({ world, random, report: violate }));
      for (const each of world.names) await world.ready(each);
      ended.abort();
      await limited('the clients to end', limitSeconds.clients, () => loading);
      await limited('the checks', limitSeconds.check, () =>
        check({ world, random, history, earlier, round, violate }, report),
      );
      await files.check(violate);
      report.rounds = round;
      report.writes = files.written();
      onRound(report, did);
    }
    const verified = await world.cluster.command('a', 'cluster', 'verify', '--json');
    if (verified.code !== 0)
      report.violations.push(
        `after all rounds, the logs are not intact: ${verified.stdout.slice(0, 2000)}${verified.stderr.slice(-1000)}`,
      );
  } finally {
    await world.close();
  }
  return report;
}

interface Round {
  world: FaultWorld;
  random(): number;
  history: History;
  round: number;
  violate(what: string): void;
}

/** Calls with keys, some at two nodes at the same time and some that their client gives up, and writes, until `ended`. */
async function load({ files, ...round }: Round & { files: FileWrites }, ended: AbortSignal): Promise<void> {
  const client = async (index: number): Promise<void> => {
    for (let count = 0; !ended.aborted; count++) {
      await keyed(round, `r${round.round}-${index}-${count}`);
      await delay(pauseMs);
    }
  };
  await Promise.all([
    ...Array.from({ length: clients }, (_, index) => client(index)),
    files.writeUntil(ended, round.random, round.violate),
  ]);
}

async function keyed({ world, random, history }: Round, key: string): Promise<void> {
  const anywhere = () => world.at(world.names[Math.floor(random() * world.names.length)] ?? 'a');
  const call = traced(key);
  // The rest of a round is the limit. A client that gives up sends its call again elsewhere.
  const isImpatient = random() < 0.5;
  const limit = AbortSignal.timeout(limitSeconds.clients * 1000);
  const send = async (): Promise<void> => {
    if (isImpatient) {
      const answer = await sendOnce(history, anywhere(), call, AbortSignal.timeout(1500));
      if (answer !== undefined && meaningOf(answer).is !== 'refused') return;
    }
    await sendUntilAnswered(history, anywhere, call, limit);
  };
  await Promise.all(Array.from({ length: random() < 0.3 ? 2 : 1 }, send));
}

/** After a round: what was acknowledged is replayed and recorded, nothing ran twice, and every node runs calls again. */
async function check(
  { world, random, history, earlier, round, violate }: Round & { earlier: Map<string, string> },
  report: FaultReport,
): Promise<void> {
  for (const name of world.names) {
    const call = traced(`r${round}-after-${name}`);
    await sendUntilAnswered(history, () => world.at(name), call, AbortSignal.timeout(60_000));
    if (!acknowledgedCalls(history).has(call.key))
      violate(`${name} is ready, but its call ended with ${history.attempts.at(-1)?.response?.text}`);
  }
  const acknowledged = acknowledgedCalls(history);
  const sent = [...new Set(history.attempts.map(({ key }) => key))];
  for (const key of sent)
    await sendOnce(
      history,
      world.at(world.names[Math.floor(random() * world.names.length)] ?? 'a'),
      traced(key),
    );
  const runs = await runsIn(world.skills.runs);
  for (const { kind, key, what } of violationsIn(history, runs)) {
    const seen = history.attempts.filter((attempt) => attempt.key === key);
    if (key.startsWith(`r${round}-`)) violate(`${kind} ${key}: ${what}\n${JSON.stringify(seen, null, 2)}`);
  }
  const old = [...earlier];
  for (let count = 0; count < Math.min(sampled, old.length); count++) {
    const [key = '', text] = old[Math.floor(random() * old.length)] ?? [];
    const again = await sendOnce(history, world.at('a'), traced(key));
    if (again?.text !== text) violate(`lost ${key}: ${text}, and later ${again?.text}`);
  }
  const calls = [...acknowledged.values()];
  for (let count = 0; count < Math.min(recordsSampled, calls.length); count++) {
    const { executionId = '' } = calls[Math.floor(random() * calls.length)] ?? {};
    // The id names its node: docs/decisions/0050.
    const owner = world.joined[Number.parseInt(executionId.slice(15, 18), 16) - 1] ?? '';
    // What a lost node did not send is lost with it.
    if (!world.names.includes(owner)) continue;
    const [record] = await world.node(owner).audit(`?executionId=${executionId}`);
    if (record === undefined || record.outcome === 'running')
      violate(`${executionId} was acknowledged, and ${owner} has recorded ${JSON.stringify(record)}`);
  }
  for (const { key, text } of calls) earlier.set(key, text);
  const meanings = history.attempts.flatMap(({ response }) => (response ? [meaningOf(response).is] : []));
  report.requests += history.attempts.length;
  report.acknowledged += calls.length;
  report.interrupted += sent.filter((key) => !acknowledged.has(key)).length;
  report.unstored += meanings.filter((is) => is === 'unstored').length;
}

function traced(key: string): KeyedCall {
  return { key, skill: 'traced', input: { key } };
}
