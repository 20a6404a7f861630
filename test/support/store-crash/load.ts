import { join } from 'node:path';
import type { KeyedAnswer } from '../cluster-load/history.ts';
import { sendKeyed } from '../cluster-load/keyed-calls.ts';
import { ambit, type Daemon } from '../daemon-process.ts';
import { writeSkills } from '../skills.ts';
import type { Acknowledged, Counter, CrashReport } from './acknowledged.ts';

/** The folder of the skills, and the files that they write outside the store. */
export interface World {
  folder: string;
  /** Each run of a call with a key leaves a file here. */
  runs: string;
  /** For `ambit`. */
  env: Record<string, string>;
  /** Ends all processes, at the end of the last round or if a wait has no end. */
  stopped: AbortSignal;
  random: () => number;
}

const script = (source: string, capabilities: object) => ({
  'ambit.yaml': JSON.stringify({ run: { runtime: 'wasm', entry: 'scripts/run.js', capabilities } }),
  'scripts/run.js': source,
});

/** Writes the skills: `effect` leaves a file for each run, and `count` stores a number. Resolves to their configuration. */
export async function crashSkills({ folder, runs }: Pick<World, 'folder' | 'runs'>): Promise<object> {
  const skills = join(folder, 'skills');
  await writeSkills(skills, {
    effect: script(
      `import { context, writeFile } from 'ambit';
export default ({ key }) => {
  const { executionId } = context();
  writeFile('${runs}/' + key + '.' + executionId, '');
  return { key, executionId, fill: 'x'.repeat(500) };
};\n`,
      { filesystem: { write: [runs] } },
    ),
    count: script(
      `import { stateGet, stateSet } from 'ambit';
export default ({ key, value }) => {
  if (value !== undefined) stateSet(key, value);
  return stateGet(key);
};\n`,
      { state: 'write' },
    ),
  });
  return {
    skills: [{ path: skills, tier: 'local' }],
    grants: { effect: { filesystem: { write: [runs] } }, count: { state: 'write' } },
  };
}

const clients = { keyed: 4, state: 3, files: 3 };

/** Sends changes and records what is acknowledged, until `ended`. Resolves when nothing is under way. */
export async function load(
  daemon: Daemon,
  world: World,
  acknowledged: Acknowledged,
  report: CrashReport,
  round: number,
  ended: AbortSignal,
): Promise<void> {
  const repeat = async (once: () => Promise<unknown>): Promise<void> => {
    while (!ended.aborted) {
      // The connection to a killed daemon breaks, even in the middle of an answer.
      if ((await once().catch(() => undefined)) === undefined && !ended.aborted)
        await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const all: Promise<void>[] = [];
  for (let client = 0; client < clients.keyed; client++) {
    let number = 0;
    all.push(repeat(() => keyed(daemon, world, acknowledged, report, `r${round}-${client}-${number++}`)));
  }
  for (let client = 0; client < clients.state; client++) {
    const counter = counterIn(acknowledged.state, `s${client}`);
    all.push(
      repeat(() =>
        raise(counter, report, 'state', async (value) => {
          const answer = await daemon.execute('count', { input: { key: `s${client}`, value } });
          return answer.body.outcome?.status === 'succeeded' && answer.body.outcome.output === value;
        }),
      ),
    );
  }
  for (let client = 0; client < clients.files; client++) {
    const counter = counterIn(acknowledged.files, `f${client}`);
    all.push(
      repeat(() =>
        raise(counter, report, 'files', (value) => put(daemon, acknowledged, `f${client}`, value)),
      ),
    );
  }
  all.push(repeat(() => changeKeys(world, acknowledged, report, round, ended)));
  await Promise.all(all);
}

/** Sends a call with a key, sometimes over two connections, or the call of an earlier key again. */
async function keyed(
  daemon: Daemon,
  { random }: World,
  { calls }: Acknowledged,
  report: CrashReport,
  fresh: string,
): Promise<true | undefined> {
  const key = random() < 0.2 ? ([...calls.keys()].at(-1 - Math.floor(random() * 50)) ?? fresh) : fresh;
  if (!calls.has(key)) calls.set(key, { response: undefined, executionId: undefined });
  const sent = Array.from({ length: random() < 0.3 ? 2 : 1 }, () => sendEffect(daemon, key));
  let isAnswered = false;
  for (const answer of await Promise.allSettled(sent)) {
    if (answer.status === 'rejected') continue;
    isAnswered ||= answer.value.status === 200;
    takeAnswer(key, answer.value, { calls }, report);
  }
  return isAnswered || undefined;
}

/** Sends the call of a key. */
export function sendEffect(daemon: Daemon, key: string): Promise<KeyedAnswer> {
  return sendKeyed(daemon, { key, skill: 'effect', input: { key } });
}

/** Compares a response with the acknowledged one of its key, or records it. */
export function takeAnswer(
  key: string,
  { status, text, isUnstored }: KeyedAnswer,
  { calls }: Pick<Acknowledged, 'calls'>,
  report: CrashReport,
): void {
  const call = calls.get(key) ?? { response: undefined, executionId: undefined };
  const { code, executionId, outcome } = JSON.parse(text);
  if (status === 200 && outcome?.status === 'succeeded') {
    if (isUnstored) {
      // Two requests that share the call get the same answer.
      report.unstored += Number(calls.delete(key));
    } else if (call.response === undefined) {
      calls.set(key, { response: text, executionId });
      report.acknowledged.calls += 1;
    } else if (call.response !== text)
      report.doubled.push(`the call of key ${key}: ${call.executionId}, then ${executionId}`);
  } else if (code === 'IDEMPOTENCY_INTERRUPTED') {
    if (call.response === undefined) report.interrupted += Number(calls.delete(key));
    else report.lost.push(`the response of key ${key}, call ${call.executionId}`);
  } else if (!['STORE_UNAVAILABLE', 'OVERLOADED'].includes(code) && outcome?.status !== 'canceled')
    report.wrong.push(`the call of key ${key} was answered with ${status} ${text.slice(0, 300)}`);
}

/** Replaces a number by the next one. */
async function raise(
  counter: Counter,
  report: CrashReport,
  kind: 'state' | 'files',
  send: (value: number) => Promise<boolean>,
): Promise<true | undefined> {
  counter.sent += 1;
  const value = counter.sent;
  if (!(await send(value))) return undefined;
  counter.acknowledged = value;
  report.acknowledged[kind] += 1;
  return true;
}

function counterIn(counters: Map<string, Counter>, name: string): Counter {
  const counter = counters.get(name) ?? { acknowledged: 0, sent: 0 };
  counters.set(name, counter);
  return counter;
}

async function put(
  { url, key }: Daemon,
  { workspace }: Acknowledged,
  path: string,
  value: number,
): Promise<boolean> {
  const response = await fetch(`${url}/workspaces/${workspace}/files/${path}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/octet-stream' },
    body: String(value).padEnd(3000),
  });
  await response.arrayBuffer();
  return response.status === 200 || response.status === 201;
}

/** Creates a key and revokes an earlier one. The commands are killed with the daemon in half of the rounds. */
async function changeKeys(
  { folder, env, random, stopped }: World,
  { keys }: Acknowledged,
  report: CrashReport,
  round: number,
  ended: AbortSignal,
): Promise<true> {
  const config = ['--config', join(folder, 'ambit.config.yaml')];
  const signal = round % 2 === 0 ? ended : stopped;
  const [active] = [...keys].filter(([, { isRevoked }]) => isRevoked === false);
  if (active !== undefined && random() < 0.5) {
    const [name, key] = active;
    key.isRevoked = 'maybe';
    const { code, stderr } = await ambit(['key', 'revoke', name, ...config], { env, signal });
    if (code === 0) {
      key.isRevoked = true;
      report.acknowledged.keys += 1;
    } else if (code !== null && code !== 4) report.wrong.push(`key revoke: ${code} ${stderr}`);
    return true;
  }
  const name = `k${round}-${keys.size}-${Math.floor(random() * 1e9)}`;
  const create = ['key', 'create', name, '--scope', 'skills:read', ...config];
  const { code, stdout, stderr } = await ambit(create, { env, signal });
  if (code === 0) {
    keys.set(name, { key: stdout.trim(), isRevoked: false });
    report.acknowledged.keys += 1;
  } else if (code !== null && code !== 4) report.wrong.push(`key create: ${code} ${stderr}`);
  return true;
}
