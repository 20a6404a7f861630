import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, readdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ensureBundle } from '../../../scripts/bundle.mjs';
import { repository } from '../daemon-process.ts';
import { writeSkills } from '../skills.ts';

/** The idle time of the daemons. */
const idleMs = 500;

/** A project without a daemon, whose commands start one. */
export interface World {
  folder: string;
  configFile: string;
  dataDir: string;
  /** The folder of the sockets. */
  sockets: string;
  /** A file for each number that a program got, with a line for each run. */
  effects: string;
  /** The program of `ambit`, and a copy of it that has another version. */
  programs: { current: string; other: string };
  environment: Record<string, string>;
}

/** `answers` is a script, whose only effect is its answer. `writes` leaves an effect; `stays` too, and runs until its deadline. */
export const callKinds = ['answers', 'writes', 'stays'] as const;
export type CallKind = (typeof callKinds)[number];

/** Creates the project in a folder. The data directory may exist. */
export async function createWorld(given: string): Promise<World> {
  const folder = await realpath(given);
  const [effects, runtime, home] = [join(folder, 'effects'), join(folder, 'run'), join(folder, 'home')];
  for (const each of [effects, runtime, home]) await mkdir(each, { mode: 0o700 });
  await chmod(effects, 0o777);
  const stays = { limits: { timeoutMs: 1500 } };
  await writeSkills(join(folder, 'skills'), {
    answers: {
      'ambit.yaml': JSON.stringify({ run: { runtime: 'wasm', entry: 'scripts/run.js' } }),
      'scripts/run.js': 'export default (input) => input;\n',
    },
    writes: program(effects, 'echo "$number"'),
    stays: program(effects, 'while :; do sleep 600; done', stays),
  });
  const granted = { filesystem: { write: [effects] } };
  const [configFile, dataDir] = [join(folder, 'ambit.config.yaml'), dataDirIn(folder)];
  const config = {
    skills: [{ path: join(folder, 'skills'), tier: 'local' }],
    bundledSkills: false,
    grants: { writes: granted, stays: granted },
    dataDir,
  };
  await writeFile(configFile, JSON.stringify(config));
  return {
    folder,
    configFile,
    dataDir,
    sockets: join(runtime, 'ambit'),
    effects,
    programs: {
      current: join(repository, 'packages/cli/src/ambit.mjs'),
      other: await programOfOtherVersion(join(folder, 'other')),
    },
    environment: {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      XDG_RUNTIME_DIR: runtime,
      NO_COLOR: '1',
      AMBIT_IDLE: String(idleMs),
    },
  };
}

/** The data directory of a project. */
export function dataDirIn(folder: string): string {
  return join(folder, 'data');
}

/** A program that appends a line for each run to a file named after its input. */
function program(effects: string, then: string, more: object = {}): Record<string, string> {
  const capabilities = { exec: ['sh', 'sleep'], filesystem: { write: [effects] } };
  return {
    'ambit.yaml': JSON.stringify({
      run: { runtime: 'process', entry: 'scripts/run.sh', capabilities, ...more },
    }),
    'scripts/run.sh': `#!/bin/sh\nread -r number\necho ran >> ${effects}/"$number"\n${then}\n`,
  };
}

async function ownVersion(): Promise<string> {
  return JSON.parse(await readFile(join(repository, 'packages/server/package.json'), 'utf8')).version;
}

/** A copy of the bundle, which differs in its version. */
async function programOfOtherVersion(folder: string): Promise<string> {
  const bundle = dirname(fileURLToPath(await ensureBundle()));
  await cp(bundle, folder, { recursive: true });
  await symlink(join(repository, 'packages/server/node_modules'), join(folder, 'node_modules'));
  const constant = `var version = "${await ownVersion()}";`;
  for (const name of (await readdir(folder)).filter((each) => each.endsWith('.mjs'))) {
    const code = await readFile(join(folder, name), 'utf8');
    await writeFile(join(folder, name), code.replace(constant, 'var version = "0.0.1";'));
  }
  const program = join(folder, 'main.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [program, '--version']);
  if (stdout !== '0.0.1\n') throw new Error(`the copy has version ${stdout}`);
  return program;
}
