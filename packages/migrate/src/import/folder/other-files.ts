import { join } from 'node:path';
import { SkillError } from '@ambit/core';
import { hiddenText } from '@ambit/core/internal';
import { type FolderEntry, listFolder } from '@ambit/runtime';
import { type ImportedSkill, named, type ReportLine } from '../skill/imported.ts';

/**
 * The files of a skill's folder beside `SKILL.md` and `ambit.yaml`; `undefined`, and a line, for a folder that no skill could
 * be loaded from. Links are left out, since where they lead is not the
 * skill's, and so is what is hidden.
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
    const why =
      error instanceof SkillError ? error.message : `it cannot be read: ${(error as Error).message}`;
    lines.push({ kind: 'left-out', about, text: `cannot be taken: ${why}` });
    return undefined;
  }
  if (hidden.length > 0) lines.push({ kind: 'left-out', about, text: hiddenText(hidden.map(named)) });
  for (const { path } of entries.filter(({ link }) => link !== undefined))
    lines.push({ kind: 'left-out', about, text: `has a link at ${named(path)}; put the file itself there` });
  return entries
    .filter(({ path, link }) => link === undefined && path !== 'SKILL.md' && path !== 'ambit.yaml')
    .map(({ path }) => ({ path, from: join(root, path) }));
}
