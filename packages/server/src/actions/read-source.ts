import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import type { FoundSkill } from '@ambit/installs';
import { bubblewrapSandbox, egress } from '@ambit/runtime';
import type { StagedSource } from '../cli/ports/actions.ts';
import { CliError } from '../cli/ports/cli-error.ts';
import type { Config } from '../config/config.ts';

/** Reads the skills of a source into temporary folders. See `Actions.readSource`. */
export async function readSource(
  { installs, deny }: Pick<Config, 'installs' | 'deny'>,
  typed: string,
  signal: AbortSignal,
): Promise<StagedSource> {
  const installed = await import('@ambit/installs');
  try {
    return await staged(installed, { installs, deny }, typed, signal);
  } catch (error) {
    if (!(error instanceof installed.InstallError)) throw error;
    throw new CliError(error.code, error.message, { cause: error });
  }
}

async function staged(
  { openSource, parseSource, surveySource, writeSkills }: typeof import('@ambit/installs'),
  { installs, deny }: Pick<Config, 'installs' | 'deny'>,
  typed: string,
  signal: AbortSignal,
): Promise<StagedSource> {
  const parsed = parseSource(typed, existsSync);
  const network = egress(async (name) => Promise.reject(new Error(`no secret ${name} for installs`)));
  const sandbox = bubblewrapSandbox();
  const into = await mkdtemp(join(tmpdir(), 'ambit-skills-'));
  const close = (): Promise<void> => rm(into, { recursive: true, force: true });
  try {
    const source = await openSource(parsed, {
      ...{ sandbox, egress: network, signal },
      ...{ network: installs.network, deny: deny.network },
    });
    try {
      const { skills, refused } = await surveySource(source, parsed.folder);
      const places = new Map(skills.map((skill, at) => [skill, placeOf(skill, at, typed)]));
      await writeSkills(source, skills, into, (skill) => places.get(skill) ?? '');
      return {
        resolved: source.resolved,
        skills: skills.map((skill) => ({ folder: skill.folder, root: join(into, places.get(skill) ?? '') })),
        refused: refused.map(({ folder, error: { code, message } }) => ({ folder, code, message })),
        close,
      };
    } finally {
      await source.close();
    }
  } catch (error) {
    await close();
    throw error;
  } finally {
    sandbox.close?.();
    await network.close();
  }
}

/** A folder of its own, named like the skill's: its name should be the skill's. */
function placeOf({ folder }: FoundSkill, at: number, typed: string): string {
  return join(String(at), basename(folder === '' ? resolve(typed) : folder));
}
