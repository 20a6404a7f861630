import { hash } from 'node:crypto';
import { basename } from 'node:path';
import { type Skill, SkillError } from '@ambit/core';
import type { Tier } from '@ambit/core/execute';
import {
  digestText,
  emptySidecar,
  readManifest,
  readSidecar,
  type Script,
  type SkillFile,
  SkillName,
  yamlCost,
} from '@ambit/core/internal';
import { headBytes, startOfHead } from '../process/entry.ts';
import { derivedId } from './derived-id.ts';
import { type Disk, patientDisk } from './disk.ts';
import { isModule, moduleBytesMax } from './is-module.ts';
import { type FolderEntry, listFolder, signatureOf } from './list-folder.ts';
import { type ReadFile, readFile } from './read-file.ts';

/** A skill with what tells whether its folder has changed since. */
export interface ReadSkill {
  skill: Skill;
  signature: string;
  /** Whether an edit would show in the signature; else the folder has to be read again to be sure. */
  settled: boolean;
}

const readAtOnce = 16;

/** Larger than any instruction a model could be given. */
const skillFileBytesMax = 1024 * 1024;

/** Decides whether YAML that costs so much (`yamlCost`) is parsed in this thread. */
export type ParsesHere = (cost: number) => boolean;

/** The folder has YAML that is not to be parsed in this thread. */
export class ParsedElsewhere extends Error {}

/**
 * Reads one skill folder whole: its `SKILL.md`, its sidecar, and the digest over all of its files. Each file is read
 * once, so that what was parsed is what the digest is over.
 *
 * Throws `SKILL_INVALID` with a sentence that says what to do when the folder cannot be used as a skill, and
 * `ParsedElsewhere` when `parsesHere` says no. Absent: everything is parsed here.
 */
export async function readSkillFolder(
  root: string,
  tier: Tier,
  disk: Disk = patientDisk,
  parsesHere?: ParsesHere,
): Promise<ReadSkill> {
  const listing = await listFolder(root, disk);
  const { entries, settled } = listing;
  const name = basename(root);
  const read = new Map<string, ReadFile>();
  const text = async (path: string): Promise<string> => {
    const file = await readFile(root, smallFile(entries, path), skillFileBytesMax, disk);
    read.set(path, file);
    return file.head.toString('utf8');
  };
  const skillMd = await text('SKILL.md');
  const hasSidecar = entries.some(({ path }) => path === 'ambit.yaml');
  const sidecarText = hasSidecar ? await text('ambit.yaml') : undefined;
  if (parsesHere?.(yamlCost(skillMd, sidecarText)) === false) throw new ParsedElsewhere();
  const { manifest, body, warnings } = readManifest(skillMd, name);
  const sidecar = sidecarText === undefined ? emptySidecar : readSidecar(sidecarText);
  const id = idOf(manifest.name, name);
  const rest = entries.filter(({ path }) => !read.has(path));
  // A few at a time: every one is an open file.
  for (let at = 0; at < rest.length; at += readAtOnce) {
    const some = rest.slice(at, at + readAtOnce);
    const each = await Promise.all(
      some.map((entry) => readFile(root, entry, isScript(entry) ? moduleBytesMax : 0, disk)),
    );
    for (const [index, file] of each.entries()) read.set(some[index]?.path ?? '', file);
  }
  const files: SkillFile[] = entries.map(({ path, bytes }) => ({
    path,
    bytes,
    sha256: read.get(path)?.sha256 ?? '',
  }));
  return {
    skill: {
      id,
      manifest,
      sidecar,
      body,
      digest: `sha256:${hash('sha256', digestText(files))}`,
      files,
      scripts: scriptsOf(entries, read),
      tier,
      root,
      warnings: id === manifest.name || id === name ? warnings : [...warnings, calledWarning(id)],
    },
    signature: signatureOf(listing),
    settled,
  };
}

function smallFile(entries: readonly FolderEntry[], path: string): FolderEntry {
  const entry = entries.find((candidate) => candidate.path === path);
  if (entry === undefined || entry.link !== undefined) {
    throw new SkillError('SKILL_INVALID', `${path} is not a file of its own; a link is not followed`);
  }
  if (entry.bytes > skillFileBytesMax) {
    throw new SkillError(
      'SKILL_INVALID',
      `${path} has ${entry.bytes} bytes; at most ${skillFileBytesMax} are read. Move what is long into references/`,
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
    `neither its name ${JSON.stringify(name.slice(0, 100))} nor its folder's name has a letter or a digit; rename one of them`,
  );
}

function calledWarning(id: string): string {
  return `neither its name nor its folder's name can be its id; the skill is called ${id}`;
}

function isScript({ path, link, bytes }: FolderEntry): boolean {
  return path.startsWith('scripts/') && link === undefined && bytes > 0;
}

/** The files of `scripts/` that something can start; what only supports them (data, notes, modules) is left out. */
function scriptsOf(entries: readonly FolderEntry[], read: ReadonlyMap<string, ReadFile>): Script[] {
  return entries.filter(isScript).flatMap(({ path }) => {
    const head = read.get(path)?.head ?? Buffer.alloc(0);
    const { interpreter } = startOfHead(path, head.subarray(0, headBytes));
    return interpreter === undefined || isModule(path, head) ? [] : [{ path, interpreter }];
  });
}
