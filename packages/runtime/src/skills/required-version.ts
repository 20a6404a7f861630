import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { SkillError } from '@ambit/core';
import type { ToolSkill } from '@ambit/core/execute';
import { type DeclaredVersion, declaredVersion, meetsVersion } from '@ambit/core/skill';
import { headOf } from './folder/start-of-head.ts';

/** A version of its interpreter that a skill's entry requires. */
interface RequiredVersion extends DeclaredVersion {
  /** The file that declares it. */
  file: string;
}

/** Larger files declare nothing. */
const fileBytesMax = 1024 * 1024;

/** By the list of files of a skill, which is new whenever the skill is read again, and by entry. */
const known = new WeakMap<ToolSkill['files'], Map<string, RequiredVersion | undefined>>();

/**
 * The version that the entry of a skill requires of `program`: for Python, the entry's own inline metadata or else the
 * skill's `pyproject.toml`; for Node, the nearest `package.json`. `undefined`: none that can be read.
 */
export function requiredVersion(
  { root, run: { entry }, files }: ToolSkill,
  program: DeclaredVersion['program'],
): RequiredVersion | undefined {
  const entries = known.get(files) ?? new Map<string, RequiredVersion | undefined>();
  known.set(files, entries);
  const key = `${program} ${entry}`;
  if (!entries.has(key)) entries.set(key, read(root, entry, files, program));
  return entries.get(key);
}

function read(
  root: string,
  entry: string,
  files: ToolSkill['files'],
  program: DeclaredVersion['program'],
): RequiredVersion | undefined {
  const folders = entry.split('/').map((_, at, parts) => parts.slice(0, at).join('/'));
  const places =
    program === 'node'
      ? folders.map((folder) => (folder === '' ? 'package.json' : `${folder}/package.json`)).reverse()
      : [entry, 'scripts/pyproject.toml', 'pyproject.toml'];
  for (const path of places) {
    const bytes = files.find((file) => file.path === path)?.bytes ?? Number.POSITIVE_INFINITY;
    if (bytes > fileBytesMax) continue;
    const declared = declaredVersion(path, textOf(join(root, path), bytes));
    if (declared?.program === program) return { ...declared, file: path };
    // Node reads no other one.
    if (program === 'node') return undefined;
  }
  return undefined;
}

/** A file that cannot be read has other errors, in the run. A link is not followed: it could lead to any file of the host. */
function textOf(path: string, bytes: number): string {
  try {
    if (!lstatSync(path).isFile()) return '';
    return headOf(path, bytes).toString('utf8');
  } catch {
    return '';
  }
}

/**
 * Refuses a call whose interpreter is known to be another version than its entry declares. Throws `PROGRAM_MISSING`. `place`
 * says where that version is, and `remedy` what to do.
 */
export function requireVersion(
  skill: ToolSkill,
  required: RequiredVersion,
  { version, place, remedy }: { version: string; place: string; remedy: string },
): void {
  if (meetsVersion(required, version) !== false) return;
  const name = required.program === 'node' ? 'Node' : 'Python';
  throw new SkillError(
    'PROGRAM_MISSING',
    `${skill.id} needs ${name} ${JSON.stringify(required.range)}, as ${required.file} declares, and ${place} has ${name} ${version}. ${remedy}`,
  );
}
