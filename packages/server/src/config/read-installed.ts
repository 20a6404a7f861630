import { Refusal } from '../errors/refusal.ts';
import { type InstalledSkill, installedSkill } from '../lock/installed.ts';
import { readLock } from '../lock/lock-file.ts';
import { ConfigError } from './config-error.ts';

/** Reads what a lock file lists. Rejects with a `ConfigError`. */
export async function readInstalled({ lockFile }: { lockFile: string }): Promise<{
  installed: Readonly<Record<string, InstalledSkill>>;
}> {
  try {
    const { skills } = await readLock(lockFile);
    const installed = Object.entries(skills).map(([id, skill]) => [id, installedSkill(skill)]);
    return { installed: Object.fromEntries(installed) };
  } catch (error) {
    if (error instanceof Refusal) throw new ConfigError([error.message]);
    throw error;
  }
}
