import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { UsageError } from '@ambit/core/outcome';
import { folderAround, skillFileNames, skillFoldersAmong } from '@ambit/core/skill';
import { type Contents, type ImportedSkill, quote, type ReportLine } from '../skill/imported.ts';
import { skillNames } from '../skill/skill-names.ts';
import { isOwnPath } from '../source/inner-path.ts';
import { readText } from '../source/read-text.ts';
import { sourceBounds } from '../source/source.ts';
import { markdownFile } from './markdown-file.ts';
import { skillFolder } from './skill-folder.ts';
import { walkFolder } from './walk-folder.ts';

/** Folders of a project where other tools store rules, commands and skills. */
const hiddenPlaces = ['.cursor/rules', '.claude/commands', '.claude/skills', '.agents/skills'];

/** Markdown files of a repository that are not instructions. */
const notInstructions =
  /^(README|CHANGELOG|CONTRIBUTING|CODE_OF_CONDUCT|LICEN[CS]E|SECURITY|AGENTS|CLAUDE|GEMINI)\.md$/i;

/**
 * Reads a folder of skill folders and Markdown files, or one Markdown file. A valid skill folder stays
 * unchanged; a `.md` or `.mdc` file is one skill. Markdown files are taken from the folder itself,
 * `.cursor/rules` and `.claude/commands`; skill folders also from subfolders.
 *
 * Rejects with a `UsageError` if `place` does not exist.
 */
export async function readFolder(place: string): Promise<Contents> {
  const lines: ReportLine[] = [];
  const root = await realpath(place).catch(() => {
    throw new UsageError(`${place} does not exist`);
  });
  const nameFor = skillNames(lines);
  const isFolder = (await stat(root)).isDirectory();
  const paths = isFolder ? await skillPaths(root, lines) : [basename(root)];
  const skills: ImportedSkill[] = [];
  for (const path of paths) {
    const skill = await readPath(isFolder ? root : dirname(root), path, nameFor, lines);
    if (skill !== undefined) skills.push(skill);
  }
  return { skills, settings: { phases: {}, agents: {} }, lines };
}

async function readPath(
  root: string,
  path: string,
  nameFor: (wanted: string) => string,
  lines: ReportLine[],
): Promise<ImportedSkill | undefined> {
  const about = quote(path);
  try {
    const text = await readText(join(root, path), sourceBounds.fileBytes);
    return isSkillFile(path)
      ? await skillFolder(dirname(join(root, path)), text, { about, nameFor, lines })
      : markdownFile(path, text, { about, nameFor, lines });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    lines.push({ kind: 'left-out', about, text: error.message });
    return undefined;
  }
}

async function skillPaths(root: string, lines: ReportLine[]): Promise<string[]> {
  const own = await walkFolder(
    root,
    (path) => isSkillFile(path) || (!path.includes('/') && isMarkdown(path)),
  );
  const hidden: string[] = [];
  for (const place of hiddenPlaces) {
    if (!(await isOwnPath(root, place))) continue;
    const wanted = place.endsWith('skills') ? isSkillFile : isMarkdown;
    hidden.push(...(await walkFolder(join(root, place), wanted)).map((path) => `${place}/${path}`));
  }
  const all = [...own, ...hidden].sort();
  const folders = skillFoldersAmong(all.filter(isSkillFile).map(folderOf));
  return all.filter((path) => {
    const within = isSkillFile(path)
      ? !folders.has(folderOf(path)) || isBeside(path, all)
      : folderAround(folderOf(path), folders) !== undefined;
    if (!within && notInstructions.test(path)) {
      const text =
        'is not imported, because a file of this name is rarely a skill; to import it, pass its path';
      lines.push({ kind: 'left-out', about: quote(path), text });
    }
    return !within && !notInstructions.test(path);
  });
}

function isSkillFile(path: string): boolean {
  return skillFileNames.includes(basename(path));
}

/** Whether it is a `skill.md` beside a `SKILL.md`, and so an ordinary file. */
function isBeside(path: string, all: readonly string[]): boolean {
  return skillFileNames
    .slice(0, skillFileNames.indexOf(basename(path)))
    .some((name) => all.includes(join(dirname(path), name)));
}

function folderOf(path: string): string {
  return dirname(path) === '.' ? '' : dirname(path);
}

function isMarkdown(path: string): boolean {
  return /\.mdc?$/i.test(path);
}
