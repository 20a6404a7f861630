import { chmod, chown, copyFile, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Narrowing, Tier } from '../../../packages/core/src/execute.ts';
import { attackScripts, type Caller, type CallingProgram, type Plant, startCaller } from './callers.ts';
import type { CallHost, CallLine, ExecutionLine } from './protocol.ts';

/** The results of an attack and of its permitted twin in the same sandbox. */
export interface Finding {
  attack: unknown;
  permitted: unknown;
}

/** The input and grants of an attacker's call. */
export interface Attempt {
  given?: unknown;
  /** The files in its workspace. */
  files?: Readonly<Record<string, string>>;
  /** The operator's grants for the skill. */
  grant?: object;
  deny?: object;
  narrowing?: Narrowing;
  tier?: Tier;
  callerContext?: NonNullable<CallLine['callerContext']>;
  host?: CallHost;
}

/** A host folder that all users can access; its creator removes it with `rm`. */
async function openFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'ambit-security-')));
  await chmod(folder, 0o755);
  return folder;
}

async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

/** Writes a skill whose entry is an attack script, and returns its folder. */
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

/** Runs the skill once. Throws if the call is refused. */
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

/** The script's report; throws, with its stderr, if there is none. */
export async function findings(
  program: CallingProgram,
  skill: string,
  attempt: Attempt = {},
): Promise<Record<string, Finding>> {
  const { outcome, log } = await execution(program, skill, attempt);
  if (outcome.status !== 'succeeded') throw new Error(`${JSON.stringify(outcome)}\n${log}`);
  return outcome.output as Record<string, Finding>;
}

/** Gives a file to the skill's user, if the tests may change owners. */
export async function giveTo(user: number, ...paths: readonly string[]): Promise<void> {
  if (process.getuid?.() !== 0) return;
  for (const path of paths) await chown(path, user, user);
}

/** A calling program with its own folder. */
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

/** The expected results of a script's attacks, each with its permitted twin. */
export type AttackTable = [attack: string, got: unknown, permitted: unknown][];

/** Declares a test for each attack, and one for attacks of the script that the table lacks. */
export function testAttacks(attacks: AttackTable, found: () => Record<string, Finding>): void {
  test.each(attacks)('the attack fails and its permitted twin succeeds: %s', (name, attack, permitted) => {
    expect(found()[name]).toEqual({ attack, permitted });
  });

  test('every attack of the script is tested', () => {
    expect(Object.keys(found()).sort()).toEqual(attacks.map(([name]) => name).sort());
  });
}
