import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type Daemon, daemonProcess } from '../test/support/daemon-process.ts';
import { writeSkills } from '../test/support/skills.ts';
import { verdict } from './compare.ts';
import { treeMemory } from './load/process-tree.ts';

const MiB = 1024 ** 2;
const mebibytes = 256;
const growthMegabytesMax = 32;
const sampleMs = 20;

/** Changes the first bytes of a file, so that all of it is stored again. */
const changes = {
  'ambit.yaml': JSON.stringify({
    run: {
      runtime: 'process',
      entry: 'scripts/run.py',
      capabilities: { exec: ['python3'], filesystem: { write: ['workspace'] } },
    },
  }),
  'scripts/run.py': `#!/usr/bin/env python3
import json, sys
path = json.load(sys.stdin)
with open(path, "r+b") as file:
    file.write(b"new")
print("null", end="")
`,
};

/**
 * A file of 256 MiB into a workspace, through a run that changes it, and out again, three times: the time of each step, and the
 * most memory (PSS) of the daemon above what it has after the same steps with 3 MiB.
 */
export async function workspacesBench(folder: string): Promise<void> {
  await writeSkills(join(folder, 'skills'), { changes });
  const daemon = await daemonProcess(folder, {
    skills: [{ path: join(folder, 'skills'), tier: 'local' }],
    workspaces: { quotaBytes: 2 * mebibytes * MiB },
    limits: { memoryBytes: 1024 * MiB, fileBytes: 2 * mebibytes * MiB },
  });
  try {
    const { id } = (await daemon.request('POST', '/workspaces', { body: {} })).body;
    // What is loaded when it is first needed is not counted.
    await inAndOut(daemon, id, 3);
    await delay(2000);
    const before = treeMemory(daemon.pid).ownMegabytes;
    console.log(
      `A file of ${mebibytes} MiB in a workspace, load ${loadavg()[0]?.toFixed(1)}; the daemon has ${before.toFixed(0)} MB\n`,
    );
    for (let round = 1; round <= 3; round += 1) {
      const peak = peakMegabytes(daemon.pid);
      const times = await inAndOut(daemon, id, mebibytes);
      const growth = (await peak()) - before;
      console.log(
        `  ${Object.entries(times)
          .map(([step, ms]) => `${step} ${(ms / 1000).toFixed(1)} s`)
          .join(', ')}`,
      );
      verdict(
        growth <= growthMegabytesMax,
        `the daemon needs at most ${growthMegabytesMax} MB more: ${growth.toFixed(0)} MB`,
      );
    }
    console.log('');
  } finally {
    await daemon.stop();
  }
}

async function inAndOut(
  daemon: Daemon,
  id: string,
  size: number,
): Promise<Record<'in' | 'run' | 'out', number>> {
  const place = `/workspaces/${id}/files/file`;
  const startedAt = performance.now();
  const sent = await answered(daemon, 'PUT', place, size);
  sent.resume();
  await once(sent, 'end');
  const inAt = performance.now();
  const ran = await daemon.execute('changes', {
    input: 'file',
    workspace: id,
    limits: { timeoutMs: 300_000 },
  });
  if (ran.body.workspace?.stored !== true) throw new Error(JSON.stringify(ran.body));
  const ranAt = performance.now();
  const digest = createHash('sha256');
  for await (const part of await answered(daemon, 'GET', place)) digest.update(part);
  if (digest.digest('hex') !== ran.body.files[0].sha256) throw new Error('the file came out different');
  return { in: inAt - startedAt, run: ranAt - inAt, out: performance.now() - ranAt };
}

/** Sends a request, with so many mebibytes that are never in memory together. */
async function answered(
  { url, key }: Daemon,
  method: string,
  place: string,
  size?: number,
): Promise<IncomingMessage> {
  const headers: Record<string, string | number> = { authorization: `Bearer ${key}` };
  if (size !== undefined) {
    headers['content-type'] = 'application/octet-stream';
    headers['content-length'] = size * MiB;
  }
  const sending = request(`${url}${place}`, { method, headers });
  const parts = Array.from({ length: size ?? 0 }, (_, at) => at);
  Readable.from(parts.map((at) => () => Buffer.alloc(MiB, at)))
    .map((part: () => Buffer) => part())
    .pipe(sending);
  const [response] = (await once(sending, 'response')) as [IncomingMessage];
  if ((response.statusCode ?? 0) >= 300) throw new Error(`${method} ${place}: ${response.statusCode}`);
  return response;
}

/** Looks again and again; the returned function ends it and returns the most that was seen. */
function peakMegabytes(pid: number): () => Promise<number> {
  const ending = new AbortController();
  const watching = (async () => {
    let most = 0;
    while (!ending.signal.aborted) {
      most = Math.max(most, treeMemory(pid).ownMegabytes);
      await delay(sampleMs);
    }
    return most;
  })();
  return () => {
    ending.abort();
    return watching;
  };
}
