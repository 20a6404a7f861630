import { hash } from 'node:crypto';
import { basename } from 'node:path';
import { type Skill, SkillError } from '@ambit/core';
import type { Tier } from '@ambit/core/execute';
import {
  codexFile,
  codexFileBytesMax,
  digestText,
  emptySidecar,
  hiddenByCodex,
  readManifest,
  readSidecar,
  type Script,
  type SkillFile,
  SkillName,
  skillFileOf,
  yamlCost,
} from '@ambit/core/skill';
import { derivedId } from './derived-id.ts';
import { asyncDisk, type Disk } from './disk.ts';
import { type FolderEntry, type FolderListing, listFolder, signatureOf } from './list-folder.ts';
import { readFile } from './read-file.ts';
import { scriptHeadBytes, scriptOf } from './script-of.ts';

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
  const digests = new Map<string, string>();
  const content = async (entry: FolderEntry): Promise<Buffer> => {
    const file = await readFile(root, entry, skillFileBytesMax, disk);
    digests.set(entry.path, file.sha256);
    return file.head;
  };
  const text = async (path: string): Promise<string> => {
    const bytes = await content(smallFile(entries, path));
    if (isUtf16(bytes)) throw new SkillError('SKILL_INVALID', `${path} is UTF-16; save it as UTF-8`);
    return bytes.toString('utf8');
  };
  const skillFile = skillFileOf({ files: entries });
  const skillMd = await text(skillFile);
  const hasSidecar = entries.some(({ path }) => path === 'ambit.yaml');
  const sidecarText = hasSidecar ? await text('ambit.yaml') : undefined;
  const codex = entries.find(({ path }) => path === codexFile);
  const isRead = codex !== undefined && codex.link === undefined && codex.bytes <= codexFileBytesMax;
  const codexBytes = isRead ? await content(codex) : undefined;
  const codexText = codexBytes === undefined || isUtf16(codexBytes) ? undefined : codexBytes.toString('utf8');
  if (parsesInline?.(yamlCost(skillMd, sidecarText, codexText)) === false) throw new ParsedElsewhere();
  const { manifest, body, alias, warnings, ...read } = readManifest(skillMd, name);
  const byCodex = codex === undefined ? undefined : hiddenByCodex(codexText);
  const hiddenFrom = [...new Set([...(byCodex?.hiddenFrom ?? []), ...read.hiddenFrom])];
  warnings.push(...(byCodex?.warnings ?? []));
  if (skillFile !== 'SKILL.md')
    warnings.push(`${skillFile} is read, but other tools only read SKILL.md; rename it`);
  const sidecar = sidecarText === undefined ? emptySidecar : readSidecar(sidecarText);
  const id = idOf(manifest.name, name);
  const scripts: Script[] = [];
  const rest = entries.filter(({ path }) => !digests.has(path));
  // A few at a time, because each is an open file.
  for (let at = 0; at < rest.length; at += readAtOnce) {
    const some = rest.slice(at, at + readAtOnce);
    const read = await Promise.all(some.map((entry) => readFile(root, entry, scriptHeadBytes(entry), disk)));
    for (const [index, entry] of some.entries()) {
      const { sha256 = '', head = Buffer.alloc(0) } = read[index] ?? {};
      digests.set(entry.path, sha256);
      const script = scriptOf(entry, head);
      if (script !== undefined) scripts.push(script);
    }
  }
  const files: SkillFile[] = entries.map(({ path, bytes }) => ({
    path,
    bytes,
    sha256: digests.get(path) ?? '',
  }));
  const skill: Skill = {
    id,
    manifest,
    sidecar,
    body,
    digest: `sha256:${hash('sha256', digestText(files))}`,
    files,
    scripts,
    tier,
    root,
    warnings: id === manifest.name || id === name ? warnings : [...warnings, derivedIdWarning(id)],
  };
  if (alias !== undefined) skill.alias = alias;
  if (hiddenFrom.length > 0) skill.hiddenFrom = hiddenFrom;
  return { skill, signature: signatureOf(listing), settled };
}

function isUtf16(bytes: Buffer): boolean {
  return /^(?:\xFF\xFE|\xFE\xFF)/.test(bytes.toString('latin1', 0, 2));
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
