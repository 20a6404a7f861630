import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { runsIn } from '../cluster-load/check-history.ts';
import { meaningOf } from '../cluster-load/history.ts';
import { callAt, type FaultRound, oneOf } from './fault.ts';
import type { FaultWorld } from './fault-world.ts';

/** The longest time from an update to its use at every node. */
const usedWithinMs = 30_000;

/** A call that has ended, and what it returned. */
interface Ended {
  node: string;
  executionId: string;
  version: number;
}

/**
 * Updates an installed skill at one node while calls of it run at all nodes. Each call ends as the version with which it began,
 * and within the staleness limit all nodes run the new one.
 */
export async function updateSkill({ world, random, report }: FaultRound): Promise<string> {
  const { versioned: skill } = world;
  const name = oneOf(world.names, random);
  const digests = new Map<number, string>();
  const approved = async (version: number): Promise<void> => {
    const printed = await world.commandAt(name, 'skills', 'approve', skill.id, '--tier', 'local', '--json');
    digests.set(version, (JSON.parse(printed) as { digest: string }).digest);
  };
  const update = async (): Promise<number> => {
    const version = await skill.writeNext();
    if (version === 1) await world.commandAt(name, 'skills', 'add', skill.source, '--namespace', 'acme');
    else await world.commandAt(name, 'skills', 'update');
    await approved(version);
    return version;
  };
  // Before the calls, so that the digest of the version that they begin with is known.
  const before = await update();
  for (const node of world.names) await usesVersion(world, node, before);

  const run = randomUUID();
  const ended: Ended[] = [];
  const call = async (node: string, key: string, isHeld: boolean): Promise<void> => {
    const { status, text } = await callAt(world, node, skill.id, { key, isHeld });
    const meaning = meaningOf({ status, text, isUnstored: false });
    if (meaning.is === 'refused') return;
    if (meaning.is !== 'acknowledged')
      return report(`a call of an updated skill ended at ${node} with ${status} ${text.slice(0, 500)}`);
    ended.push({ node, executionId: meaning.executionId, version: versionIn(text) });
  };
  const heldKey = (node: string): string => `held-${node}-${run}`;
  const held = Promise.all(world.names.map((node) => call(node, heldKey(node), true)));
  const haveBegun = async (): Promise<boolean> => {
    const runs = await runsIn(world.skills.runs);
    return world.names.every((node) => runs.has(heldKey(node)));
  };
  while (!(await haveBegun())) await delay(50);

  const isUpdated = new AbortController();
  const calling = Promise.all(
    world.names.map(async (node) => {
      for (let count = 0; !isUpdated.signal.aborted; count++)
        await call(node, `${node}-${count}-${run}`, false);
    }),
  );
  const after = await update();
  const updatedAt = performance.now();
  for (const node of world.names)
    if (!(await usesVersion(world, node, after)))
      report(`${node} does not run version ${after} of an updated skill after ${usedWithinMs} ms`);
  const ms = Math.round(performance.now() - updatedAt);
  isUpdated.abort();
  await calling;
  const short = ended.length;
  for (const node of world.names) await skill.release(heldKey(node));
  await held;
  for (const { node, executionId, version } of ended.slice(short))
    if (version !== before)
      report(`${executionId} began at ${node} as version ${before} and ended as version ${version}`);
  for (const { node, executionId, version } of ended) {
    const [record] = await world.node(node).audit(`?executionId=${executionId}`);
    if (record?.skill?.digest !== digests.get(version))
      report(
        `${executionId} at ${node} ran version ${version} (${digests.get(version)}), and is recorded with ${JSON.stringify(record?.skill)}`,
      );
  }
  return `updated a skill at ${name} from version ${before} to ${after} in ${ms} ms, with ${ended.length} calls`;
}

/** Resolves to whether a node runs a version within the limit. */
async function usesVersion(world: FaultWorld, node: string, version: number): Promise<boolean> {
  for (const deadline = performance.now() + usedWithinMs; performance.now() < deadline; await delay(50)) {
    const { status, text } = await callAt(world, node, world.versioned.id, { key: `uses-${randomUUID()}` });
    if (status === 200 && versionIn(text) === version) return true;
  }
  return false;
}

function versionIn(text: string): number {
  const { outcome } = JSON.parse(text) as { outcome?: { output?: unknown } };
  return Number(outcome?.output);
}
