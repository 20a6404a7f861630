import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** The seed of a run whose options name none. */
export const anySeed = String(Date.now() % 1_000_000);

/** The options of the command line, each with a default. */
export function optionsOf<Name extends string>(
  defaults: Readonly<Record<Name, string>>,
): Record<Name, string> {
  const options = Object.entries<string>(defaults).map(
    ([name, value]) => [name, { type: 'string', default: value }] as const,
  );
  return parseArgs({ options: Object.fromEntries(options) }).values as Record<Name, string>;
}

/** Runs in a temporary folder that all users can enter. The program exits with 1 unless `run` returns true. */
export async function inFolder(name: string, run: (folder: string) => Promise<boolean>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), `ambit-${name}-`));
  try {
    await chmod(folder, 0o755);
    process.exitCode = (await run(folder)) ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Prints the first 20 mistakes. Returns whether there are none. */
export function noneWrong(wrong: readonly string[]): boolean {
  for (const each of wrong.slice(0, 20)) console.log(`WRONG  ${each}`);
  return wrong.length === 0;
}

/** Prints each check with its figures. Returns whether all are sound. */
export function allSound(
  checks: readonly (readonly [name: string, isSound: boolean, figures: string])[],
): boolean {
  for (const [name, isSound, figures] of checks)
    console.log(`${isSound ? ' ok  ' : ' BAD '} ${name}: ${figures}`);
  return checks.every(([, isSound]) => isSound);
}
