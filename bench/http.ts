import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import createPlugin from '@extism/extism';
import type { AuditEvent } from '../packages/core/src/audit.ts';
import { bubblewrapSandbox, wasmExecutor } from '../packages/runtime/src/index.ts';
import { noState } from '../packages/runtime/src/testing/no-state.ts';
import { bareLog } from '../packages/server/src/audit/testing/bare-log.ts';
import { type Daemon, daemonProcess, repository } from '../test/support/daemon-process.ts';
import { writeSkills } from '../test/support/skills.ts';
import { bareBubblewrap } from './bare-bubblewrap.ts';
import { type Contender, compare, formatTable, verdict } from './compare.ts';
import { bundledGrant } from './load/busy-pool.ts';

/** The most that a lone call may cost, as a multiple of its parts together. */
const targets = { shell: 1.4, wasm: 1.5 };

/**
 * The cost of a complete call that comes alone: over HTTP, authenticated, with a durable record. Its
 * parts are what no such call can do without: a request, the run itself, and a commit.
 */
export async function httpBench(folder: string, rounds: number): Promise<void> {
  await writeSkills(join(folder, 'skills'), {
    echo: {
      'ambit.yaml': JSON.stringify({
        run: { runtime: 'process', entry: 'scripts/run.sh', capabilities: { exec: ['sh', 'cat'] } },
      }),
      'scripts/run.sh': '#!/bin/sh\nexec cat\n',
    },
  });
  const daemon = await daemonProcess(folder, { skills: [{ path: join(folder, 'skills'), tier: 'local' }] });
  const commit = bareCommit(join(folder, 'bare.db'));
  try {
    console.log('Over HTTP, one call at a time: every call is authenticated and leaves a durable record\n');
    await processSkill(join(folder, 'skills/echo'), daemon, commit.contender, rounds);
    await wasmSkill(daemon, commit.contender, rounds);
  } finally {
    commit.close();
    await daemon.stop();
  }
}

async function processSkill(skill: string, daemon: Daemon, commit: Contender, rounds: number): Promise<void> {
  const bare = await bareBubblewrap(skill);
  const timings = await compare(
    [
      { name: 'execute over HTTP', run: () => succeeds(daemon.execute('echo', { input: { n: 1 } })) },
      { name: 'bare bwrap, same arguments', run: () => bare('{"n":1}') },
      { name: 'GET /skills/echo', run: () => found(daemon, 'echo') },
      commit,
    ],
    rounds,
  );
  console.log(formatTable('A one-line shell skill', timings));
  compareToParts(timings, targets.shell);
}

async function wasmSkill(daemon: Daemon, commit: Contender, rounds: number): Promise<void> {
  const input = { text: 'write to ada@example.org' };
  const module = await WebAssembly.compile(await readFile(join(repository, 'skills/text-redact/skill.wasm')));
  const sandbox = bubblewrapSandbox();
  const executor = wasmExecutor({ sandbox, state: noState, hosts: 1 });
  const grant = await bundledGrant('text-redact');
  const { signal } = new AbortController();
  try {
    const timings = await compare(
      [
        { name: 'execute over HTTP', run: () => succeeds(daemon.execute('text-redact', { input })) },
        {
          name: "the pool's call",
          run: () => executor.execute(grant, { protocol: 'json', value: input }, signal),
        },
        { name: 'GET /skills/text-redact', run: () => found(daemon, 'text-redact') },
        commit,
      ],
      rounds,
    );
    console.log(`\n${formatTable('A WASM skill', timings)}`);
    compareToParts(timings, targets.wasm);
    const [extism] = await compare(
      [
        {
          name: 'bare Extism call, in process, fresh instance',
          run: () => bareExtism(module, JSON.stringify(input)),
        },
      ],
      rounds,
    );
    console.log(`  ${extism?.name}: ${extism?.medianMs.toFixed(2)} ms`);
  } finally {
    await executor.close?.();
    await sandbox.close?.();
  }
}

/** The first timing is the call's, the others are its parts'. */
function compareToParts([call, ...parts]: readonly { medianMs: number }[], target: number): void {
  const ratio = (call?.medianMs ?? Number.NaN) / parts.reduce((sum, { medianMs }) => sum + medianMs, 0);
  verdict(ratio <= target, `at most ${target} × its parts together: ${ratio.toFixed(2)}`);
}

/** One event in a transaction of its own, on the disk. */
function bareCommit(file: string): { contender: Contender; close(): void } {
  const log = bareLog(file);
  const event = (): AuditEvent => ({
    kind: 'call.denied',
    executionId: crypto.randomUUID(),
    time: Date.now(),
    code: 'SKILL_NOT_FOUND',
    message: 'x'.repeat(600),
    denied: [],
  });
  return {
    contender: { name: 'a bare durable commit', run: async () => log.commit(log.prepare([event()])) },
    close: () => log.close(),
  };
}

async function found(daemon: Daemon, skill: string): Promise<void> {
  const { status } = await daemon.request('GET', `/skills/${skill}`);
  if (status !== 200) throw new Error(`GET /skills/${skill} answered ${status}`);
}

async function bareExtism(module: WebAssembly.Module, input: string): Promise<void> {
  const plugin = await createPlugin(
    { wasm: [{ module }] },
    { useWasi: false, allowedHosts: [], allowedPaths: {} },
  );
  try {
    const output = await plugin.call('run', input);
    if (output === null) throw new Error('the plug-in returned no output');
  } finally {
    await plugin.close();
  }
}

/** Fails unless the call succeeds, because refusals are fast. */
async function succeeds(answer: ReturnType<Daemon['execute']>): Promise<void> {
  const { body } = await answer;
  if (body.outcome?.status !== 'succeeded')
    throw new Error(`the call did not succeed: ${JSON.stringify(body)}`);
}
