import { hash } from 'node:crypto';
import { basename } from 'node:path';
import { type Skill, SkillError } from '@ambit/core';
import type { Tier } from '@ambit/core/execute';
import {
  declaredRuns,
  digestText,
  emptySidecar,
  readManifest,
  readSidecar,
  type Script,
  type SkillFile,
  SkillName,
  skillFileOf,
  yamlCost,
} from '@ambit/core/internal';
import { derivedId } from './derived-id.ts';
import { asyncDisk, type Disk } from './disk.ts';
import { isModule, moduleBytesMax } from './is-module.ts';
import { isProgramPath } from './is-program-path.ts';
import { type FolderEntry, type FolderListing, listFolder, signatureOf } from './list-folder.ts';
import { type ReadFile, readFile } from './read-file.ts';
import { headBytes, startOfHead } from './start-of-head.ts';

/** A skill, with the data that shows whether its folder has changed since. */
export interface ReadSkill {
  skill: Skill;
  signature: string;
  /**
   * Whether an edit would change the signature. If not, only reading the folder again is reliable.
   */
  settled: boolean;
}

const readAtOnce = 16;

/** Larger than any instructions for a model. */
const skillFileBytesMax = 1024 * 1024;

/** Decides whether YAML of this cost (`yamlCost`) is parsed in the current thread. */
export type ParsesInline = (cost: number) => boolean;

/** The folder has YAML that this thread must not parse. */
export class ParsedElsewhere extends Error {}

/**
 * Reads a whole skill folder: `SKILL.md`, the sidecar, and the digest of all files. Each file is
 * read once, so the parsed text is the one that the digest covers.
 *
 * Throws `SKILL_INVALID`, with what to do, if the folder is not usable as a skill. Throws
 * `ParsedElsewhere` if `parsesInline` returns false. Absent: everything is parsed in this thread.
 * `listed` receives the folder's listing before any file is read.
 */
export async function readSkillFolder(
  root: string,
  tier: Tier,
  disk: Disk = asyncDisk,
  parsesInline?: ParsesInline,
  listed?: (listing: FolderListing) => void,
): Promise<ReadSkill> {
  const listing = await listFolder(root, disk);
  listed?.(listing);
  const { entries, settled } = listing;
  const name = basename(root);
  const read = new Map<string, ReadFile>();
  const text = async (path: string): Promise<string> => {
    const file = await readFile(root, smallFile(entries, path), skillFileBytesMax, disk);
    read.set(path, file);
    if (/^(?:\xFF\xFE|\xFE\xFF)/.test(file.head.toString('latin1', 0, 2)))
      throw new SkillError('SKILL_INVALID', `${path} is UTF-16; save it as UTF-8`);
    return file.head.toString('utf8');
  };
  const skillFile = skillFileOf({ files: entries });
  const skillMd = await text(skillFile);
  const hasSidecar = entries.some(({ path }) => path === 'ambit.yaml');
  const sidecarText = hasSidecar ? await text('ambit.yaml') : undefined;
  if (parsesInline?.(yamlCost(skillMd, sidecarText)) === false) throw new ParsedElsewhere();
  const { manifest, body, alias, hiddenFrom, warnings } = readManifest(skillMd, name);
  if (skillFile !== 'SKILL.md')
    warnings.push(`${skillFile} is read, but other tools only read SKILL.md; rename it`);
  const sidecar = sidecarText === undefined ? emptySidecar : readSidecar(sidecarText);
  const id = idOf(manifest.name, name);
  const describesRuns = declaredRuns({ sidecar }).length > 0;
  const isProgram = ({ path, link, bytes }: FolderEntry): boolean =>
    link === undefined && bytes > 0 && isProgramPath(path, describesRuns);
  const rest = entries.filter(({ path }) => !read.has(path));
  // A few at a time, because each is an open file.
  for (let at = 0; at < rest.length; at += readAtOnce) {
    const some = rest.slice(at, at + readAtOnce);
    const each = await Promise.all(
      some.map((entry) => readFile(root, entry, isProgram(entry) ? moduleBytesMax : 0, disk)),
    );
    for (const [index, file] of each.entries()) read.set(some[index]?.path ?? '', file);
  }
  const files: SkillFile[] = entries.map(({ path, bytes }) => ({
    path,
    bytes,
    sha256: read.get(path)?.sha256 ?? '',
  }));
  const skill: Skill = {
    id,
    manifest,
    sidecar,
    body,
    digest: `sha256:${hash('sha256', digestText(files))}`,
    files,
    scripts: scriptsOf(entries.filter(isProgram), read),
    tier,
    root,
    warnings: id === manifest.name || id === name ? warnings : [...warnings, derivedIdWarning(id)],
  };
  if (alias !== undefined) skill.alias = alias;
  if (hiddenFrom.length > 0) skill.hiddenFrom = hiddenFrom;
  return { skill, signature: signatureOf(listing), settled };
}

function smallFile(entries: readonly FolderEntry[], path: string): FolderEntry {
  const entry = entries.find((candidate) => candidate.path === path);
  if (entry === undefined || entry.link !== undefined) {
    throw new SkillError('SKILL_INVALID', `${path} is not a regular file; links are not followed`);
  }
  if (entry.bytes > skillFileBytesMax) {
    throw new SkillError(
      'SKILL_INVALID',
      `${path} has ${entry.bytes} bytes, more than the ${skillFileBytesMax} that are read. Move long parts into references/`,
    );
  }
  return entry;
}

function idOf(name: string, folderName: string): string {
  const id =
    [name, folderName].find((candidate) => SkillName.safeParse(candidate).success) ?? derivedId(name);
  if (id !== undefined) return id;
  throw new SkillError(
    'SKILL_INVALID',
    `the name ${JSON.stringify(name.slice(0, 100))} and the folder's name contain no letter or digit; rename one of them`,
  );
}

function derivedIdWarning(id: string): string {
  return `neither the name nor the folder's name is a valid id; the skill's id is ${id}`;
}

/** The programs that can be started. Supporting files (data, notes, modules) are left out. */
function scriptsOf(programs: readonly FolderEntry[], read: ReadonlyMap<string, ReadFile>): Script[] {
  return programs.flatMap(({ path }) => {
    const head = read.get(path)?.head ?? Buffer.alloc(0);
    const { interpreter } = startOfHead(path, head.subarray(0, headBytes));
    return interpreter === undefined || isModule(path, head) ? [] : [{ path, interpreter }];
  });
}
