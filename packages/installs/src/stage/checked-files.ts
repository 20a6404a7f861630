import { folderAround, isInnerSkill, skillFileNames } from '@ambit/core/skill';
import { withParents } from '@ambit/core/workspace';
import { InstallError } from '../install-error.ts';
import { skillBounds } from '../source/source-bounds.ts';
import type { LinkCopies, Refuse } from './link-copies.ts';
import type { ListedEntry } from './listed-entry.ts';
import { parentOf } from './source-path.ts';

/** The files of a skill as they will be written. Paths are relative to the skill's folder. Copies have the entry of another file. */
export interface SkillFiles {
  files: readonly ListedEntry[];
  /** A link and the file or folder of the skill that it leads to; relative, as written. */
  links: readonly { path: string; target: string }[];
  bytes: number;
}

/**
 * Checks the entries of one skill, whose paths are relative to its folder. Links to its own files and folders stay; others
 * are replaced by what they lead to in the source. Throws an `InstallError` for the first entry that must not be written.
 */
export function checkedFiles(
  entries: readonly ListedEntry[],
  folder: string,
  linkCopies: LinkCopies,
): SkillFiles {
  const refuse: Refuse = (code, what) =>
    new InstallError(code, `the skill ${folder === '' ? 'of the source' : JSON.stringify(folder)} ${what}`);
  checkNames(entries, refuse);
  checkSize(entries, refuse);
  const places = new Set(entries.flatMap(({ path, kind }) => (kind === 'symlink' ? [] : withParents(path))));
  const copiesOf = linkCopies(folder, refuse);
  /** Ambit does not follow links when it reads a skill, so what it reads must be a file. */
  const isRead = (path: string): boolean => path === 'ambit.yaml' || skillFileNames.includes(path);
  const linked = entries.flatMap((entry) => {
    const { path, kind, target = '' } = entry;
    const isOwn = kind === 'symlink' && !isRead(path) && places.has(resolved(path, target));
    return kind !== 'symlink' || isOwn ? [entry] : copiesOf(entry);
  });
  const whole = withoutInnerSkills(linked);
  checkNames(whole, refuse);
  return {
    files: whole.filter(({ kind }) => kind === 'file'),
    links: whole.flatMap(({ path, kind, target = '' }) => (kind === 'symlink' ? [{ path, target }] : [])),
    bytes: checkSize(whole, refuse),
  };
}

/**
 * A copy of another skill, below `skills`, would be read as a skill of its own and not as a part of this one, so that no
 * digest or review of this one had it. It is a second name of the other skill, which is installed itself.
 */
function withoutInnerSkills(entries: readonly ListedEntry[]): readonly ListedEntry[] {
  const inner = new Set(
    entries.flatMap(({ path }) => {
      const folder = parentOf(path);
      const isSkill = skillFileNames.some((name) => path === `${folder}/${name}`);
      return isSkill && isInnerSkill(folder, skillFileNames) ? [folder] : [];
    }),
  );
  return inner.size === 0 ? entries : entries.filter(({ path }) => folderAround(path, inner) === undefined);
}

function checkNames(entries: readonly ListedEntry[], refuse: Refuse): void {
  for (const { path, kind } of entries) {
    const name = JSON.stringify(path.slice(0, 200));
    const flaw = nameFlaw(path);
    if (flaw !== undefined) throw refuse('SKILL_UNSAFE_NAME', `has a file ${name}, whose name ${flaw}`);
    if (kind === 'special')
      throw refuse('SKILL_SPECIAL_FILE', `has ${name}, which is a device, a pipe or another special file`);
    if (kind === 'hard-link')
      throw refuse('SKILL_UNSAFE_LINK', `has a hard link ${name}; pack it as a file of its own`);
  }
  const collision = collisionOf(entries);
  if (collision !== undefined)
    throw refuse('SKILL_NAME_COLLISION', `has two files of one name: ${collision}; rename one of them`);
}

/** The bytes of all files. */
function checkSize(entries: readonly ListedEntry[], refuse: Refuse): number {
  const present = entries.filter(({ kind }) => kind !== 'folder');
  const bytes = present.reduce((sum, file) => sum + (file.kind === 'file' ? file.bytes : 0), 0);
  if (present.length > skillBounds.files)
    throw refuse('SKILL_TOO_LARGE', `has ${present.length} files; at most ${skillBounds.files} are allowed`);
  if (bytes > skillBounds.bytes)
    throw refuse('SKILL_TOO_LARGE', `has ${bytes} bytes; at most ${skillBounds.bytes} are allowed`);
  return bytes;
}

/** Explains what is wrong with a path, as the rest of a sentence about it; `undefined`: nothing. */
export function nameFlaw(path: string): string | undefined {
  const parts = path.split('/');
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(path)) return 'has a control character';
  if (!path.isWellFormed() || path.includes('\uFFFD')) return 'is not UTF-8';
  if (parts.length > skillBounds.depth) return `is more than ${skillBounds.depth} folders deep`;
  if (
    Buffer.byteLength(path) > skillBounds.pathBytes ||
    parts.some((part) => Buffer.byteLength(part) > skillBounds.nameBytes)
  )
    return 'is too long';
  return undefined;
}

/** Two entries that would be one: on a file system without case, or in another Unicode form. */
function collisionOf(entries: readonly ListedEntry[]): string | undefined {
  const seen = new Map<string, { path: string; isFolder: boolean }>();
  for (const { path, kind } of entries)
    for (const each of withParents(path)) {
      const isFolder = each !== path || kind === 'folder';
      const key = each.normalize('NFC').toLowerCase();
      const other = seen.get(key);
      if (other !== undefined && (other.path !== each || !isFolder || !other.isFolder))
        return `${JSON.stringify(other.path)} and ${JSON.stringify(each)}`;
      seen.set(key, { path: each, isFolder });
    }
  return undefined;
}

/** Returns the path that a link leads to; `..` beyond the skill and an absolute path stay unchanged and match nothing. */
function resolved(path: string, target: string): string {
  if (target.startsWith('/')) return target;
  const parts = path.split('/').slice(0, -1);
  for (const part of target.split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}
