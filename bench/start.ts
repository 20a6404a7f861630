import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Daemon, daemonProcess } from '../test/support/daemon-process.ts';
import { writeSkills } from '../test/support/skills.ts';
import { compare, formatTable, verdict } from './compare.ts';
import { treeCpuMs, treeMemory } from './load/process-tree.ts';

const skills = 100;
const targets = { startMs: 500, ofNode: 7, restMegabytes: 90, megabytes: 150 };
/** After this time, work that a start leaves behind is done. */
const restMs = 5000;

/** Measures the time in which a daemon answers, and its memory while idle. */
export async function startBench(folder: string, rounds: number): Promise<void> {
  await writeSkills(join(folder, 'skills'), Object.fromEntries(Array.from({ length: skills }, someSkill)));
  const config = { skills: [{ path: join(folder, 'skills'), tier: 'local' }] };
  const cpuMs: number[] = [];
  // Every start but the first of an installation finds the skills that this one stores.
  let daemon: Daemon | undefined = await daemonProcess(folder, config);
  while (!existsSync(join(daemon.dataDir, 'skills.cache'))) await delay(100);
  const timings = await compare(
    [
      { name: 'node, doing nothing', run: () => promisify(execFile)(process.execPath, ['-e', '']) },
      {
        name: 'ambit serve, until it answers',
        prepare: async () => daemon?.stop(),
        async run() {
          daemon = await daemonProcess(folder, config);
          const { status } = await fetch(`${daemon.url}/readyz`);
          if (status !== 200) throw new Error(`not ready: ${status}`);
          cpuMs.push(treeCpuMs(daemon.pid).own);
        },
      },
    ],
    Math.max(5, Math.round(rounds / 20)),
  );
  await daemon?.stop();
  console.log(
    formatTable(
      `A start with ${skills} skills besides the bundled ones, load ${loadavg()[0]?.toFixed(1)}`,
      timings,
    ),
  );
  const startMs = timings[1]?.medianMs ?? Number.NaN;
  const medianCpuMs = cpuMs.sort((a, b) => a - b)[Math.floor(cpuMs.length / 2)] ?? Number.NaN;
  console.log(`  CPU time of the daemon's threads: ${medianCpuMs} ms`);
  const ratio = timings[1]?.ratio ?? Number.NaN;
  verdict(ratio <= targets.ofNode, `at most ${targets.ofNode} × a bare Node: ${ratio.toFixed(1)} ×`);
  verdict(startMs <= targets.startMs, `ready within ${targets.startMs} ms: ${startMs.toFixed(0)} ms`);

  daemon = await daemonProcess(folder, config);
  await delay(restMs);
  const fresh = treeMemory(daemon.pid);
  for (let call = 0; call < 20; call++) await daemon.execute('text-redact', { input: { text: 'a' } });
  await delay(restMs);
  const used = treeMemory(daemon.pid);
  await daemon.stop();
  const text = ({ ownMegabytes, belowMegabytes, below }: typeof fresh): string =>
    `${ownMegabytes.toFixed(0)} MB, and ${belowMegabytes.toFixed(0)} MB in ${below} child processes`;
  console.log(`\n  idle ${text(fresh)}; after some calls ${text(used)} (PSS)`);
  verdict(
    fresh.ownMegabytes <= targets.restMegabytes,
    `at most ${targets.restMegabytes} MB at rest without its hosts: ${fresh.ownMegabytes.toFixed(0)} MB`,
  );
  verdict(
    used.ownMegabytes <= targets.megabytes,
    `at most ${targets.megabytes} MB without its hosts: ${used.ownMegabytes.toFixed(0)} MB\n`,
  );
}

function someSkill(_: unknown, index: number): [string, Record<string, string>] {
  const id = `skill-${index}`;
  const run = { runtime: 'process', entry: 'scripts/run.sh', capabilities: { exec: ['sh', 'cat'] } };
  const sidecar = JSON.stringify({ version: '1.0.0', phases: ['plan'], priority: index, run });
  return [id, { 'ambit.yaml': sidecar, 'scripts/run.sh': '#!/bin/sh\nexec cat\n' }];
}
