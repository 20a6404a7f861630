// Measures the cost of calls next to baselines.
//
//   npm run bench                      all parts, 200 rounds
//   npm run bench -- process 1000      one part, 1000 rounds
//
// Parts: process, prewarmed, wasm, python, fuel, network, select, search, prompt, catalog, yaml, http, load, stall,
// memory-share, workspaces, start, command, console, installs, peers, cluster, cluster-scale, cluster-query, audit, audit-verify, audit-query.

import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBundle } from '../scripts/bundle.mjs';

type Part = (folder: string, rounds: number) => Promise<void>;

/** Each is imported when needed, so none slows down another. */
const parts: Readonly<Record<string, () => Promise<Part>>> = {
  process: async () => (await import('./process.ts')).processBench,
  prewarmed: async () => (await import('./prewarmed.ts')).prewarmedBench,
  wasm: async () => (await import('./wasm.ts')).wasmBench,
  python: async () => (await import('./python.ts')).pythonBench,
  fuel: async () => (await import('./fuel.ts')).fuelBench,
  network: async () => (await import('./network.ts')).networkBench,
  select: async () => (await import('./select.ts')).selectBench,
  search: async () => (await import('./search.ts')).searchBench,
  http: async () => (await import('./http.ts')).httpBench,
  load: async () => (await import('./load.ts')).loadBench,
  stall: async () => (await import('./stall.ts')).stallBench,
  'memory-share': async () => (await import('./memory-share.ts')).memoryShareBench,
  workspaces: async () => (await import('./workspaces.ts')).workspacesBench,
  start: async () => (await import('./start.ts')).startBench,
  command: async () => (await import('./command.ts')).commandBench,
  console: async () => (await import('./console.ts')).consoleBench,
  installs: async () => (await import('./installs.ts')).installsBench,
  peers: async () => (await import('./peers.ts')).peersBench,
  cluster: async () => (await import('./cluster.ts')).clusterBench,
  'cluster-scale': async () => (await import('./cluster-scale.ts')).clusterScaleBench,
  'cluster-query': async () => (await import('./cluster-query.ts')).clusterQueryBench,
  prompt: async () => (await import('./prompt.ts')).promptBench,
  catalog: async () => (await import('./catalog.ts')).catalogBench,
  yaml: async () => (await import('./yaml.ts')).yamlBench,
  audit: async () => (await import('./audit.ts')).auditBench,
  'audit-verify': async () => (await import('./audit-verify.ts')).auditVerifyBench,
  'audit-query': async () => (await import('./audit-query.ts')).auditQueryBench,
};

const words = process.argv.slice(2);
const rounds = Number(words.find((word) => /^\d+$/.test(word)) ?? 200);
const names = words.filter((word) => !/^\d+$/.test(word));
const unknown = names.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0)
  throw new Error(`unknown part: ${unknown.join(', ')}; available: ${Object.keys(parts).join(', ')}`);

// Like `npm start`: daemons start the way users start them.
await ensureBundle();
console.log(`${rounds} rounds, one call of each contender per round\n`);
for (const [name, part] of Object.entries(parts)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const folder = await mkdtemp(join(tmpdir(), 'ambit-bench-'));
  try {
    // A sandbox may run as another user.
    await chmod(folder, 0o755);
    const bench = await part();
    await bench(folder, rounds);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
