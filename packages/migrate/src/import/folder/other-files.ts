import { join } from 'node:path';
import { SkillError } from '@ambit/core';
import { hiddenText, skillFileOf } from '@ambit/core/skill';
import { type FolderEntry, listFolder } from '@ambit/runtime';
import { type ImportedSkill, quote, type ReportLine } from '../skill/imported.ts';

/**
 * The files of a skill's folder other than `SKILL.md` and `ambit.yaml`. `undefined`, with a line, for a
 * folder that no skill could be loaded from. Links are left out, because their targets do not belong
 * to the skill. Hidden files are left out too.
 */
export async function otherFiles(
  root: string,
  about: string,
  lines: ReportLine[],
): Promise<ImportedSkill['files'] | undefined> {
  let entries: readonly FolderEntry[];
  let hidden: readonly string[];
  try {
    ({ entries, hidden } = await listFolder(root));
  } catch (error) {
    const why = error instanceof SkillError ? error.message : `cannot be read: ${(error as Error).message}`;
    lines.push({ kind: 'left-out', about, text: `cannot be imported: ${why}` });
    return undefined;
  }
  if (hidden.length > 0) lines.push({ kind: 'left-out', about, text: hiddenText(hidden.map(quote)) });
  for (const { path } of entries.filter(({ link }) => link !== undefined))
    lines.push({
      kind: 'left-out',
      about,
      text: `has a symbolic link at ${quote(path)}; replace it with the file`,
    });
  const skillFile = skillFileOf({ files: entries });
  return entries
    .filter(({ path, link }) => link === undefined && path !== skillFile && path !== 'ambit.yaml')
    .map(({ path }) => ({ path, from: join(root, path) }));
}
