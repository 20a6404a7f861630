import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  digestText,
  emptySidecar,
  readManifest,
  readSidecar,
  type Script,
  type Skill,
  SkillError,
  type SkillFile,
  SkillName,
  type Tier,
} from '@ambit/core';
import { startOf } from '../process/entry.ts';
import { type FolderEntry, hashFile, listFolder } from './list-folder.ts';

/** A skill with what tells whether its folder has changed since. */
export interface ReadSkill {
  skill: Skill;
  signature: string;
}

const readAtOnce = 16;

/** Larger than any instruction a model could be given. */
const skillFileBytesMax = 1024 * 1024;

/**
 * Reads one skill folder whole: its `SKILL.md`, its sidecar, and the digest over all of its files.
 *
 * Throws `SKILL_INVALID` with a sentence that says what to do when the folder cannot be used as a skill.
 */
export async function readSkillFolder(root: string, tier: Tier): Promise<ReadSkill> {
  const folder = await listFolder(root);
  const name = basename(root);
  const { manifest, body, warnings } = readManifest(await smallFile(root, folder.entries, 'SKILL.md'), name);
  const hasSidecar = folder.entries.some(({ path }) => path === 'ambit.yaml');
  const sidecar = hasSidecar
    ? readSidecar(await smallFile(root, folder.entries, 'ambit.yaml'))
    : emptySidecar;
  const files: SkillFile[] = [];
  // A few at a time: every one is an open file.
  for (let at = 0; at < folder.entries.length; at += readAtOnce) {
    const some = folder.entries.slice(at, at + readAtOnce);
    files.push(...(await Promise.all(some.map((entry) => skillFile(root, entry)))));
  }
  return {
    skill: {
      id: idOf(manifest.name, name),
      manifest,
      sidecar,
      body,
      digest: `sha256:${createHash('sha256').update(digestText(files)).digest('hex')}`,
      files,
      scripts: await scriptsOf(root, folder.entries),
      tier,
      root,
      warnings,
    },
    signature: folder.signature,
  };
}

/** The files of `scripts/` that something can start; what only supports them (data, notes, modules) is left out. */
async function scriptsOf(root: string, entries: readonly FolderEntry[]): Promise<Script[]> {
  const scripts: Script[] = [];
  for (const { path, link, bytes } of entries) {
    if (!path.startsWith('scripts/') || link !== undefined || bytes === 0) continue;
    const { interpreter } = await startOf(join(root, path));
    if (interpreter !== undefined) scripts.push({ path, interpreter });
  }
  return scripts;
}

function idOf(name: string, folderName: string): string {
  const id = [name, folderName].find((candidate) => SkillName.safeParse(candidate).success);
  if (id !== undefined) return id;
  throw new SkillError(
    'SKILL_INVALID',
    `neither its name ${JSON.stringify(name.slice(0, 100))} nor its folder's name is 1–64 of a-z, 0-9 and single hyphens; rename one of them`,
  );
}

async function smallFile(root: string, entries: readonly FolderEntry[], path: string): Promise<string> {
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
  return readFile(join(root, path), 'utf8');
}

async function skillFile(root: string, entry: FolderEntry): Promise<SkillFile> {
  return { path: entry.path, bytes: entry.bytes, sha256: await hashFile(root, entry) };
}
