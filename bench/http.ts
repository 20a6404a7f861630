import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import createPlugin from '@extism/extism';
import { daemonProcess, repository } from '../test/support/daemon-process.ts';
import { writeSkills } from '../test/support/skills.ts';
import { bareBubblewrap } from './bare-bubblewrap.ts';
import { compare, formatTable } from './compare.ts';

/** The cost of a complete call: over HTTP, authenticated, with a durable record. */
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
  try {
    console.log('Over HTTP: every call is authenticated and leaves a durable record\n');
    console.log(await processSkill(join(folder, 'skills/echo'), daemon.execute, rounds));
    console.log(await wasmSkill(daemon.execute, rounds));
  } finally {
    await daemon.stop();
  }
}

type Execute = (
  skill: string,
  body: unknown,
) => Promise<{ status: number; body: { outcome: { status: string } } }>;

async function processSkill(skill: string, execute: Execute, rounds: number): Promise<string> {
  const bare = await bareBubblewrap(skill);
  const timings = await compare(
    [
      { name: 'bare bwrap, same arguments', run: () => bare('{"n":1}') },
      { name: 'execute over HTTP', run: () => succeeds(execute('echo', { input: { n: 1 } })) },
    ],
    rounds,
  );
  return formatTable('A one-line shell skill', timings);
}

async function wasmSkill(execute: Execute, rounds: number): Promise<string> {
  const input = { text: 'write to ada@example.org' };
  const module = await WebAssembly.compile(await readFile(join(repository, 'skills/text-redact/skill.wasm')));
  const timings = await compare(
    [
      {
        name: 'bare Extism call, in process, fresh instance',
        run: () => bareExtism(module, JSON.stringify(input)),
      },
      { name: 'execute over HTTP', run: () => succeeds(execute('text-redact', { input })) },
    ],
    rounds,
  );
  return `\n${formatTable('A WASM skill', timings)}`;
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
async function succeeds(answer: ReturnType<Execute>): Promise<void> {
  const { body } = await answer;
  if (body.outcome?.status !== 'succeeded')
    throw new Error(`the call did not succeed: ${JSON.stringify(body)}`);
}
