import { chmod, chown, copyFile, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
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

/** A host folder that all users can access. */
async function openFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'ambit-security-')));
  await chmod(folder, 0o755);
  return folder;
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
}

/** A stage for the tests of a block. It exists once its hooks have run. */
export function stage(
  caller: Caller,
  plant: (folder: string) => Promise<Plant> = async () => ({}),
): Readonly<Stage> {
  const opened: Partial<Stage> = {};
  beforeAll(async () => {
    opened.folder = await openFolder();
    opened.program = await startCaller(caller, await plant(opened.folder));
  });
  afterAll(async () => {
    await opened.program?.stop();
    if (opened.folder !== undefined) await rm(opened.folder, { recursive: true, force: true });
  });
  return opened as Stage;
}

/** The expected results of a script's attacks, each with its permitted twin. */
export type AttackTable = [attack: string, got: unknown, permitted: unknown][];

/** Declares a test for each attack of a script, and one for attacks of the script that the table lacks. */
export function testAttacks(attacks: AttackTable, run: () => Promise<Record<string, Finding>>): void {
  let found: Record<string, Finding>;
  beforeAll(async () => {
    found = await run();
  });

  test.each(attacks)('the attack fails and its permitted twin succeeds: %s', (name, attack, permitted) => {
    expect(found[name]).toEqual({ attack, permitted });
  });

  test('every attack of the script is tested', () => {
    expect(Object.keys(found).sort()).toEqual(attacks.map(([name]) => name).sort());
  });
}
