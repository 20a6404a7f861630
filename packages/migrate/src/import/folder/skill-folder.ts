import { basename, join } from 'node:path';
import { issueText, validateSkill } from '@ambit/core/inspect';
import { SkillName } from '@ambit/core/skill';
import { isThere } from '@ambit/runtime';
import type { ImportedSkill, ReportLine } from '../skill/imported.ts';
import { fieldText, readMarkdownSkill } from '../skill/markdown-skill.ts';
import { skillFileText } from '../skill/skill-text.ts';
import { readText } from '../source/read-text.ts';
import { sourceBounds } from '../source/source.ts';
import type { Reading } from './markdown-file.ts';
import { otherFiles } from './other-files.ts';

/**
 * Reads a skill folder, unchanged if possible. If its `SKILL.md` violates the specification, the
 * frontmatter is rewritten, with a line for each mistake. A folder with an invalid `ambit.yaml` is left
 * out.
 */
export async function skillFolder(
  root: string,
  skillMd: string,
  { about, nameFor, lines }: Reading,
): Promise<ImportedSkill | undefined> {
  const read = readMarkdownSkill(skillMd, about, lines);
  const files = read === undefined ? undefined : await otherFiles(root, about, lines);
  if (read === undefined || files === undefined) return undefined;
  const sidecar = await sidecarOf(root);
  const wanted = [read.name, basename(root)].find((name) => SkillName.safeParse(name).success);
  const name = nameFor(wanted ?? read.name ?? basename(root));
  const listed = [...files, { path: 'SKILL.md' }].map(({ path }) => ({
    path,
    isLink: false,
    leavesFolder: false,
  }));
  const wrong = (text: string): string[] =>
    validateSkill({ name, files: listed, skillMd: text, sidecar }).errors.map(issueText);
  const errors = wrong(skillMd);
  if (errors.length === 0) return { id: name, skillMd, sidecar, files };
  const metadata = {
    ...read.fields.metadata,
    ...Object.fromEntries([...read.others].map(([key, value]) => [key, fieldText(value)])),
  };
  const fixed = skillFileText({ name, ...read.fields, metadata }, `\n${read.body}\n`);
  const left = wrong(fixed);
  report(left.length === 0, left.length === 0 ? errors : left, about, lines);
  return left.length === 0 ? { id: name, skillMd: fixed, sidecar, files } : undefined;
}

async function sidecarOf(root: string): Promise<string | undefined> {
  const path = join(root, 'ambit.yaml');
  if (!(await isThere(path))) return undefined;
  return readText(path, sourceBounds.fileBytes);
}

function report(isFixed: boolean, errors: readonly string[], about: string, lines: ReportLine[]): void {
  for (const error of errors) {
    const text = isFixed
      ? `had invalid frontmatter, which was rewritten: ${error}`
      : `is not a valid skill: ${error}`;
    lines.push({ kind: isFixed ? 'changed' : 'left-out', about, text });
  }
}
