import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SkillError } from '@ambit/core';
import { type Config, ConfigError, defaultConfig } from '@ambit/server/config';
import { Refusal } from '@ambit/server/errors';
import { type ReviewedSigner, reviewedSigner } from '@ambit/server/installs';
import type { StagedSource } from '@ambit/server/local';
import { shellWord, UntrustedError } from '@ambit/server/trust';
import type { CommandContext } from '../../../command/define-command.ts';
import { untilInterrupted } from '../../../command/until-interrupted.ts';
import { printableLine } from '../../../output/printable.ts';

/** One skill of an archive or a repository, in a temporary folder. */
export interface SourceSkill {
  root: string;
  /** The source of the skill: the argument as typed, with its folder, and the exact version that was read. */
  source: { named: string; resolved: StagedSource['resolved'] };
  /** Finds the signer of this version of it. */
  signer(skill: { id: string; digest: string }): Promise<ReviewedSigner>;
  /** Removes the folder. */
  close(): Promise<void>;
}

const namesMax = 10;

/** Whether a word names an archive or a repository, and not a folder of this machine or an id. */
export async function isSource(cwd: string, named: string): Promise<boolean> {
  const found = await stat(resolve(cwd, named)).catch(() => undefined);
  if (found !== undefined) return found.isFile();
  return (
    /^((mcp\+)?https?|oci):\/\//i.test(named) ||
    /^[^#]*\.(zip|tar|tgz|gz)#/.test(named) ||
    /^[\w-][\w.-]*\/[\w.-]+(#.*)?$/.test(named)
  );
}

/**
 * Reads the only skill of a source. Rejects with the refusal of the source or of its skill, with `SKILL_NOT_FOUND`, and with
 * `SKILL_AMBIGUOUS` that lists the skills.
 */
export async function sourceSkill(
  { loadConfig, readerGone, terminal, flags, print }: CommandContext,
  named: string,
): Promise<SourceSkill> {
  if (/^https?:/i.test(named)) print.note(`Fetching ${printableLine(named)}`);
  const config = await loadConfig(flags).catch(withoutNetwork);
  const { stageSource } = await import('@ambit/server/local');
  const { skills, refused, resolved, close } = await untilInterrupted(terminal, readerGone, (signal) =>
    stageSource(config, { typed: named }, signal),
  );
  try {
    const [skill, ...others] = skills;
    const [first, ...moreRefused] = refused;
    if (skill === undefined && first !== undefined && moreRefused.length === 0)
      throw new Refusal(first.code, first.message);
    for (const { folder, message } of refused)
      print.note(printableLine(`${folder === '' ? 'The skill' : folder} is left out: ${message}`));
    if (skill === undefined)
      throw new SkillError('SKILL_NOT_FOUND', `there is no usable SKILL.md in ${named.slice(0, 300)}`);
    if (others.length > 0) throw ambiguous(named, skills);
    // A path is matched as it would be installed.
    const path = resolve(terminal.cwd(), named.split('#', 1)[0] ?? '');
    const typed = existsSync(path) ? path : named;
    return {
      root: skill.root,
      source: { named: withFolder(named, skill.folder), resolved },
      close,
      signer: (version) => reviewedSigner(config.publishers, typed, version, skill.signature),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** An archive can be reviewed where no configuration can be used. */
function withoutNetwork(error: unknown): Pick<Config, 'installs' | 'deny' | 'publishers'> {
  if (error instanceof ConfigError || error instanceof UntrustedError) return defaultConfig();
  throw error;
}

function ambiguous(named: string, skills: StagedSource['skills']): SkillError {
  const names = skills.slice(0, namesMax).map(({ folder }) => shellWord(withFolder(named, folder)));
  const more = skills.length > names.length ? ` and ${skills.length - names.length} more` : '';
  return new SkillError(
    'SKILL_AMBIGUOUS',
    `${named} has ${skills.length} skills. Review one of them: ${names.join(', ')}${more}`,
  );
}

/** A source as typed, with a folder in it. */
function withFolder(named: string, folder: string): string {
  const hash = named.indexOf('#');
  const [place, rest = ''] = hash === -1 ? [named] : [named.slice(0, hash), named.slice(hash + 1)];
  if (folder === '') return named;
  return `${place}#${rest.split(':')[0] ?? ''}:${folder}`;
}
