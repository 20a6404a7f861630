import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compare, formatTable } from './compare.ts';
import { modulePeers } from './peers/module-peers.ts';
import { type OptionalPeer, type Peer, type RunningPeer, shellScript } from './peers/peer.ts';
import { shellPeers } from './peers/shell-peers.ts';

const inFlight = 8;
const coldRoundsMax = 10;

/**
 * Compares Ambit with other programs that run scripts, with the same script and the same input: started for
 * one call, already running, and with eight calls in flight. What each enforces differs; see
 * docs/benchmarks.md.
 */
export async function peersBench(folder: string, rounds: number): Promise<void> {
  // sandbox-runtime scans the working directory.
  const empty = join(folder, 'empty');
  await mkdir(empty);
  const before = process.cwd();
  process.chdir(empty);
  const script = join(folder, 'run.sh');
  await writeFile(script, shellScript);
  await chmod(script, 0o755);
  try {
    await comparePeers('A shell script', await shellPeers(folder, script), rounds);
    await comparePeers('A JavaScript module', await modulePeers(folder), rounds);
  } finally {
    process.chdir(before);
  }
}

async function comparePeers(title: string, all: readonly OptionalPeer[], rounds: number): Promise<void> {
  const peers = all.filter((peer): peer is Peer => 'cold' in peer);
  for (const peer of all) if ('missing' in peer) console.log(`${peer.name} is omitted: ${peer.missing}\n`);
  const cold = peers.map(({ name, cold }) => ({ name, run: cold }));
  console.log(
    `${formatTable(`${title}, cold: started for one call`, await compare(cold, Math.min(rounds, coldRoundsMax)))}\n`,
  );
  const running: { name: string; peer: RunningPeer }[] = [];
  try {
    for (const { name, start } of peers) running.push({ name, peer: await start() });
    const warm = running.map(({ name, peer }) => ({ name, run: () => peer.call() }));
    console.log(`${formatTable(`${title}, warm: one call at a time`, await compare(warm, rounds))}\n`);
    const together = running.map(({ name, peer }) => ({
      name,
      run: () => Promise.all(Array.from({ length: inFlight }, () => peer.call())),
    }));
    const timings = await compare(together, Math.ceil(rounds / 4));
    console.log(
      `${formatTable(`${title}, warm: ${inFlight} calls at the same time, until the last`, timings)}\n`,
    );
  } finally {
    for (const { peer } of running) await peer.close();
  }
}
