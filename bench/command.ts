import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { repository } from '../test/support/daemon-process.ts';
import { writeSkills } from '../test/support/skills.ts';
import { compare, formatTable, verdict } from './compare.ts';
import { treeCpuMs, treeMemory } from './load/process-tree.ts';

const targets = { version: 1.5, agent: 3, agentMegabytes: 45, commandMs: 300 };

/** The number of published skills that the catalog was first measured with. */
const manySkills = 1243;

/** The processor time and memory of commands. Their daemon on demand does not count. */
export async function commandBench(folder: string, rounds: number): Promise<void> {
  const few = await project(folder, 'few', 0);
  const many = await project(folder, 'many', manySkills);
  try {
    await firstAndSecond(few, rounds);
    await processorTime(few, many, rounds);
  } finally {
    for (const { command } of [few, many]) await command('stop');
  }
}

interface Project {
  /** Runs `ambit` with these words. Resolves to what it printed. */
  command(...words: readonly string[]): Promise<string>;
  start(...words: readonly string[]): ChildProcess;
}

/** A project with the bundled skills, and generated ones. */
async function project(parent: string, name: string, skills: number): Promise<Project> {
  const folder = join(await realpath(parent), name);
  const [runtime, home, root] = [join(folder, 'run'), join(folder, 'home'), join(folder, 'skills')];
  for (const each of [folder, runtime, home, root]) await mkdir(each, { mode: 0o700 });
  await writeSkills(root, Object.fromEntries(Array.from({ length: skills }, someSkill)));
  const file = join(folder, 'ambit.config.yaml');
  const config = { skills: [{ path: root, tier: 'local' }], dataDir: join(folder, 'data') };
  await writeFile(file, JSON.stringify(config));
  const start = (...words: readonly string[]): ChildProcess =>
    spawn(process.execPath, [join(repository, 'packages/cli/src/ambit.mjs'), ...words, '--config', file], {
      cwd: folder,
      // Daemons end only with the benchmark.
      env: {
        PATH: process.env['PATH'],
        HOME: home,
        XDG_RUNTIME_DIR: runtime,
        AMBIT_IDLE: '3600000',
        NO_COLOR: '1',
      },
    });
  return { start, command: (...words) => printed(start(...words)) };
}

function someSkill(_: unknown, index: number): [string, Record<string, string>] {
  const body = 'Follow these steps in order, and say what you did.\n'.repeat(40);
  const description = `Does thing number ${index}; use it when a document needs that.`;
  const id = `skill-${index}`;
  return [
    id,
    {
      'SKILL.md': `---\nname: ${id}\ndescription: ${description}\n---\n# Skill ${index}\n\n${body}`,
      'scripts/run.py': 'print(1)\n',
    },
  ];
}

/** Resolves to the stdout of a program that exits with 0. */
async function printed(child: ChildProcess): Promise<string> {
  const output = [child.stdout, child.stderr].map((stream) => (stream === null ? '' : text(stream)));
  const [code] = (await once(child, 'close')) as [number | null];
  const [stdout = '', stderr] = await Promise.all(output);
  if (code !== 0) throw new Error(`${child.spawnargs.slice(2).join(' ')} exited with ${code}: ${stderr}`);
  return stdout;
}

const call = ['run', 'text-redact', '--input', '{"text":"a"}', '--json'];

async function redact({ command }: Project): Promise<void> {
  const { outcome } = JSON.parse(await command(...call)) as { outcome: { status: string } };
  if (outcome.status !== 'succeeded') throw new Error(`the call ${outcome.status}`);
}

function bareNode(): Promise<string> {
  return printed(spawn(process.execPath, ['-e', '0']));
}

async function firstAndSecond(few: Project, rounds: number): Promise<void> {
  const timings = await compare(
    [
      { name: 'node -e 0', run: bareNode },
      {
        name: 'ambit run text-redact, first',
        prepare: () => few.command('stop'),
        run: () => redact(few),
      },
      { name: 'ambit run text-redact, second', run: () => redact(few) },
    ],
    Math.max(5, Math.round(rounds / 20)),
  );
  console.log(
    formatTable(
      `A command that starts a daemon, and the next one, load ${loadavg()[0]?.toFixed(1)}`,
      timings,
    ),
  );
  console.log();
}

async function processorTime(few: Project, many: Project, rounds: number): Promise<void> {
  const memory: number[] = [];
  const contenders = {
    'node -e 0': bareNode,
    'ambit --version': () => few.command('--version'),
    'ambit mcp, one call': async () => void memory.push(await agent(few)),
    'ambit run text-redact': () => redact(few),
    [`ambit run text-redact, ${manySkills} skills`]: () => redact(many),
    [`ambit skills list, ${manySkills} skills`]: async () => {
      const listed = await many.command('skills', 'list');
      if (!listed.includes(`skill-${manySkills - 1}`)) throw new Error('skills are missing in the list');
    },
  };
  // Starts the daemons.
  for (const run of Object.values(contenders)) await run();
  const times = new Map<string, number>();
  const turns = Math.max(5, Math.round(rounds / 10));
  for (let turn = 0; turn < turns; turn += 1)
    for (const [name, run] of Object.entries(contenders)) {
      const before = endedMs();
      await run();
      times.set(name, (times.get(name) ?? 0) + (endedMs() - before) / turns);
    }
  const [bareMs = Number.NaN, versionMs = Number.NaN, agentMs = Number.NaN, , runMs, listMs] = times.values();
  console.log(`Processor time of the command alone, mean of ${turns}, load ${loadavg()[0]?.toFixed(1)}`);
  for (const [name, ms] of times)
    console.log(
      `  ${name.padEnd(38)}${ms.toFixed(0).padStart(6)} ms${(ms / bareMs).toFixed(2).padStart(8)} ×`,
    );
  const megabytes = memory.sort((a, b) => a - b)[memory.length >> 1] ?? Number.NaN;
  const most = Math.max(runMs ?? Number.NaN, listMs ?? Number.NaN);
  verdict(
    versionMs <= targets.version * bareMs,
    `--version at most ${targets.version} × a bare Node: ${(versionMs / bareMs).toFixed(2)} ×`,
  );
  verdict(
    agentMs <= targets.agent * bareMs,
    `mcp at most ${targets.agent} × a bare Node: ${(agentMs / bareMs).toFixed(2)} ×`,
  );
  verdict(
    megabytes <= targets.agentMegabytes,
    `mcp at most ${targets.agentMegabytes} MB (PSS) after a call: ${megabytes.toFixed(0)} MB`,
  );
  verdict(
    most <= targets.commandMs,
    `with ${manySkills} skills at most ${targets.commandMs} ms a command: ${most.toFixed(0)} ms\n`,
  );
}

/** The processor time of this process's children that have ended. */
function endedMs(): number {
  return treeCpuMs(process.pid).below;
}

/** An agent that makes one call. Resolves to the memory of its `ambit mcp` after it, in MB. */
async function agent({ start }: Project): Promise<number> {
  const child = start('mcp');
  if (child.stdin === null || child.stdout === null) throw new Error('they are pipes');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (id: number, method: string, params: object): Promise<{ result?: object }> => {
    child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error('ambit mcp ended');
      const message = JSON.parse(value) as { id?: number; result?: object };
      if (message.id === id) return message;
    }
  };
  await ask(1, 'initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  });
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  const { result } = await ask(2, 'tools/call', { name: 'text-redact', arguments: { text: 'a' } });
  if (result === undefined || 'isError' in result)
    throw new Error(`the call failed: ${JSON.stringify(result)}`);
  const { ownMegabytes } = treeMemory(child.pid ?? Number.NaN);
  const ended = once(child, 'close');
  child.stdin.end();
  await ended;
  return ownMegabytes;
}
