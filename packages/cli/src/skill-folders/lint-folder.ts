import { join } from 'node:path';
import { lintSkill, type SkillLint } from '@ambit/core/inspect';
import { estimateTokens } from '@ambit/core/prompt';
import { readOrdinaryFile } from '@ambit/runtime';
import { shellWord } from '@ambit/server/trust';
import { readFolder } from './read-folder.ts';

/** Advice on one folder. */
export interface LintedFolder extends SkillLint {
  folder: string;
}

/** Larger files are data and are not searched for mentions of other files. */
const bounds = { fileBytes: 256 * 1024, files: 200 };

/** Reads and lints a folder. If it cannot be read, that is its only finding. */
export async function lintFolder(folder: string): Promise<LintedFolder> {
  const read = await readFolder(folder);
  if ('problem' in read) {
    const message = `${read.problem}. For details, run: ambit skills validate ${shellWord(folder)}`;
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
