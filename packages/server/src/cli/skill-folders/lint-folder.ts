import { join } from 'node:path';
import { lintSkill, type SkillLint } from '@ambit/core/internal';
import { estimateTokens } from '@ambit/core/prompt';
import { readOrdinaryFile } from '@ambit/runtime';
import { readFolder } from './read-folder.ts';

/** Advice on one folder. */
export interface LintedFolder extends SkillLint {
  folder: string;
}

/** Longer ones are data, and a mention in them is chance. */
const bounds = { fileBytes: 256 * 1024, files: 200 };

/** Reads a folder and lints it. A folder that cannot be read has that for its only finding. */
export async function lintFolder(folder: string): Promise<LintedFolder> {
  const read = await readFolder(folder);
  if ('problem' in read) {
    const message = `${read.problem}; ambit skills validate shows what is wrong`;
    return {
      folder,
      findings: [{ rule: 'unreadable', severity: 'warning', file: 'SKILL.md', line: null, message }],
      tokens: { metadata: 0, body: 0 },
    };
  }
  const texts: Record<string, string> = {};
  const short = read.entries.filter(({ bytes, link }) => link === undefined && bytes <= bounds.fileBytes);
  for (const { path } of short.slice(0, bounds.files)) {
    const text = (await readOrdinaryFile(join(folder, path)).catch(() => '')).toString();
    if (!text.includes('\0')) texts[path] = text;
  }
  return { folder, ...lintSkill({ ...read.folder, texts }, estimateTokens) };
}
