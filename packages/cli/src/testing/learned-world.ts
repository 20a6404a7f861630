import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';

/** A SKILL.md with this name and body. */
export const skillMd = (name: string, body: string): string =>
  `---\nname: ${name}\ndescription: d\n---\n${body}\n`;

/** Skills `plan` (for phase plan) and `any` (for every phase), and learned skills `plan`, `any` and `new`. */
export async function learnedWorld(): Promise<string> {
  return temporaryFolder({
    'skills/any/SKILL.md': skillMd('any', 'ours'),
    'skills/plan/SKILL.md': skillMd('plan', 'ours'),
    'skills/plan/ambit.yaml': 'phases: [plan] # for now\n',
    'learned/any/SKILL.md': skillMd('any', 'theirs'),
    'learned/any/ambit.yaml': 'phases: [test]\n',
    'learned/new/SKILL.md': skillMd('new', 'theirs'),
    'learned/new/scripts/run.sh': '#!/bin/sh\n',
    'learned/plan/SKILL.md': skillMd('plan', 'theirs'),
    'learned/plan/ambit.yaml': 'phases: [test, plan]\n',
  });
}

/** Every file below a folder, with its text. */
export async function tree(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(
    files.map(async (file) => [file.slice(folder.length + 1), await readFile(file, 'utf8')]),
  );
  return Object.fromEntries(texts.sort());
}

/** The existing skills, the new learned skill, and the learned versions of the existing skills. */
export const ours = {
  'any/SKILL.md': skillMd('any', 'ours'),
  'plan/SKILL.md': skillMd('plan', 'ours'),
  'plan/ambit.yaml': 'phases: [plan] # for now\n',
};
export const added = { 'new/SKILL.md': skillMd('new', 'theirs'), 'new/scripts/run.sh': '#!/bin/sh\n' };
export const theirs = {
  'any/SKILL.md': skillMd('any', 'theirs'),
  'any/ambit.yaml': 'phases: [test]\n',
  'plan/SKILL.md': skillMd('plan', 'theirs'),
  'plan/ambit.yaml': 'phases: [test, plan]\n',
};
