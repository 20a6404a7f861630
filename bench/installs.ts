import { mkdir, rm } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { ambit, type Daemon, daemonProcess } from '../test/support/daemon-process.ts';
import { commit } from '../test/support/git-server.ts';
import { compare, formatTable, verdict } from './compare.ts';
import { treeCpuMs } from './load/process-tree.ts';

const count = 500;
const targets = { addMs: 10_000, startRatio: 1.2 };

/** Measures the time to add skills of a repository, and to start with them, compared with a plain folder of the same skills. */
export async function installsBench(folder: string, rounds: number): Promise<void> {
  const repository = join(folder, 'skills');
  commit(repository, Object.fromEntries(Array.from({ length: count }, filesOf).flat()));

  const target = join(folder, 'added');
  const timings = await compare(
    [
      { name: 'ambit --version', run: () => checked(['--version']) },
      {
        name: `ambit skills add, ${count} skills`,
        prepare: () => rm(target, { recursive: true, force: true }).then(() => mkdir(target)),
        run: () => checked(['skills', 'add', repository, '--data-dir', target]),
      },
    ],
    Math.max(3, Math.round(rounds / 40)),
  );
  console.log(formatTable(`Adding a local repository, load ${load()}`, timings));
  const addMs = timings[1]?.medianMs ?? Number.NaN;
  verdict(addMs <= targets.addMs, `within ${targets.addMs} ms: ${addMs.toFixed(0)} ms\n`);

  await startsBench(folder, repository, rounds);
}

async function startsBench(folder: string, repository: string, rounds: number): Promise<void> {
  const [plain, installed] = [join(folder, 'plain'), join(folder, 'installed')];
  for (const each of [plain, installed]) await mkdir(each);
  const daemons = new Map<string, Daemon>();
  const cpuMs = new Map<string, number[]>();
  const start = (name: string, of: string, config: object) => ({
    name,
    prepare: async () => daemons.get(name)?.stop(),
    async run() {
      const daemon = await daemonProcess(of, config);
      daemons.set(name, daemon);
      const { status } = await fetch(`${daemon.url}/readyz`);
      if (status !== 200) throw new Error(`not ready: ${status}`);
      cpuMs.set(name, [...(cpuMs.get(name) ?? []), treeCpuMs(daemon.pid).own]);
    },
  });
  await approveAll(installed, repository);
  const contenders = [
    start('from a folder', plain, { skills: [{ path: repository, tier: 'verified' }] }),
    start('installed and approved', installed, {}),
  ];
  const timings = await compare(contenders, Math.max(5, Math.round(rounds / 20)));
  const daemon = daemons.get('installed and approved');
  const { body } = (await daemon?.request('GET', '/installs')) ?? {};
  const approved = body?.skills.filter(({ state }: { state: string }) => state === 'approved').length;
  if (approved !== count) throw new Error(`${approved} skills are approved`);
  for (const each of daemons.values()) await each.stop();
  console.log(formatTable(`Starts with ${count} skills, load ${load()}`, timings));
  for (const [name, each] of cpuMs)
    console.log(`  CPU time of the daemon's threads, ${name}: ${median(each)} ms`);
  const ratio = timings[1]?.ratio ?? Number.NaN;
  verdict(ratio <= targets.startRatio, `at most ${targets.startRatio} × a folder: ${ratio.toFixed(2)} ×\n`);
}

async function approveAll(folder: string, repository: string): Promise<void> {
  const daemon = await daemonProcess(folder);
  await checked(['skills', 'add', repository, '--data-dir', daemon.dataDir]);
  const { body } = await daemon.request('GET', '/installs');
  const skills = body.skills.map(({ id, digest }: { id: string; digest: string }) => ({ id, digest }));
  const answer = await daemon.request('POST', '/installs/approve', { body: { skills, tier: 'verified' } });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  await daemon.stop();
}

async function checked(args: readonly string[]): Promise<void> {
  const { code, stderr } = await ambit(args);
  if (code !== 0) throw new Error(stderr);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function load(): string {
  return (loadavg()[0] ?? Number.NaN).toFixed(1);
}

/** A skill of usual size: instructions, two references and a script. */
function filesOf(_: unknown, at: number): [path: string, content: string][] {
  const folder = `skills/skill-${at}`;
  const body = 'Follow these steps in order, and say what you did.\n'.repeat(60);
  return [
    [
      `${folder}/SKILL.md`,
      `---\nname: skill-${at}\ndescription: Does thing number ${at}; use it when a document needs that.\n---\n# Skill ${at}\n\n${body}`,
    ],
    [`${folder}/references/formats.md`, `# Formats ${at}\n\n${body}`],
    [`${folder}/references/examples.md`, `# Examples ${at}\n\n${body}`],
    [
      `${folder}/scripts/run.py`,
      `#!/usr/bin/env python3\nimport json, sys\nprint(json.dumps({"skill": ${at}, "given": sys.argv[1:]}))\n`,
    ],
  ];
}
