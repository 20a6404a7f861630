import { chmod, chown, copyFile, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Narrowing, Tier } from '../../../packages/core/src/execute.ts';
import { attackScripts, type Caller, type CallingProgram, type Plant, startCaller } from './callers.ts';
import type { CallHost, CallLine, ExecutionLine } from './protocol.ts';

/** What one attack got, and what its permitted twin got in the same sandbox. */
export interface Finding {
  attack: unknown;
  permitted: unknown;
}

/** What a call of an attacker is given and granted. */
export interface Attempt {
  given?: unknown;
  /** What lies in its workspace. */
  files?: Readonly<Record<string, string>>;
  /** The operator's lines for the skill. */
  grant?: object;
  deny?: object;
  narrowing?: Narrowing;
  tier?: Tier;
  told?: NonNullable<CallLine['told']>;
  host?: CallHost;
}

/** A folder of the host that everybody can reach; whoever makes it takes it away with `rm`. */
async function openFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'ambit-security-')));
  await chmod(folder, 0o755);
  return folder;
}

async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

/** Writes a skill whose entry is one of the attacks' scripts, and returns its folder. */
export async function attackingSkill(parent: string, script: string, run: object = {}): Promise<string> {
  const folder = join(parent, 'skills', 'attacker');
  await mkdir(join(folder, 'scripts'), { recursive: true });
  for (const file of ['attack.py', script]) {
    await copyFile(join(attackScripts, file), join(folder, 'scripts', file));
  }
  await writeFile(join(folder, 'SKILL.md'), '---\nname: attacker\ndescription: Tries to get out.\n---\n');
  const sidecar = {
    run: { runtime: 'process', entry: `scripts/${script}`, capabilities: { exec: ['python3'] }, ...run },
  };
  await writeFile(join(folder, 'ambit.yaml'), JSON.stringify(sidecar));
  return folder;
}

/** Runs the skill once. Throws when the call is refused. */
export async function execution(
  program: CallingProgram,
  skill: string,
  attempt: Attempt = {},
): Promise<ExecutionLine> {
  const { given = {}, files = {}, grant = {}, deny = {}, narrowing = {}, ...rest } = attempt;
  const answer = await program.call({ skill, given, files, grant, deny, narrowing, ...rest });
  if ('refused' in answer) throw new Error(`${answer.refused.code}: ${answer.refused.message}`);
  return answer.execution;
}

/** What the script reported; throws, with what it wrote to stderr, when it did not. */
export async function findings(
  program: CallingProgram,
  skill: string,
  attempt: Attempt = {},
): Promise<Record<string, Finding>> {
  const { outcome, log } = await execution(program, skill, attempt);
  if (outcome.status !== 'succeeded') throw new Error(`${JSON.stringify(outcome)}\n${log}`);
  return outcome.output as Record<string, Finding>;
}

/** Makes something the skill's user's own, as far as whoever runs the tests can give anything away. */
export async function giveTo(user: number, ...paths: readonly string[]): Promise<void> {
  if (process.getuid?.() !== 0) return;
  for (const path of paths) await chown(path, user, user);
}

/** A calling program with a folder of its own. */
export interface Stage {
  program: CallingProgram;
  folder: string;
  close(): Promise<void>;
}

export async function stage(
  caller: Caller,
  plant: (folder: string) => Promise<Plant> = async () => ({}),
): Promise<Stage> {
  const folder = await openFolder();
  const program = await startCaller(caller, await plant(folder));
  return {
    program,
    folder,
    async close() {
      await program.stop();
      await removeFolder(folder);
    },
  };
}
