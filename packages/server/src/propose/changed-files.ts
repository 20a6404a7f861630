import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat, mkdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Skill } from '@ambit/core';
import { noCapabilities, type Proposal } from '@ambit/core/policy';
import { readSidecar } from '@ambit/core/skill';
import { readOrdinaryFile, writeAtomically } from '@ambit/runtime';
import { isMap, parseDocument } from 'yaml';
import { addToYaml } from './yaml-edits.ts';

/** A file of the operator or of a skill, and its text with a proposal applied. */
export interface ChangedFile {
  /** An absolute path. */
  path: string;
  /** `undefined` if the file does not exist yet. */
  before: string | undefined;
  after: string;
}

/**
 * The files that a proposal changes: the configuration, and the skill's `ambit.yaml`. Without a
 * configuration, a new one at `newFile`.
 */
export async function changedFiles(
  { skill: id, grant, requests }: Proposal,
  skill: Pick<Skill, 'root'>,
  { file, newFile }: Record<'file' | 'newFile', string | undefined>,
): Promise<ChangedFile[]> {
  const changed: ChangedFile[] = [];
  if (!isDeepStrictEqual(grant, noCapabilities)) {
    const before = file === undefined ? undefined : await readText(file);
    const after = addToYaml(before ?? '', ['grants', id], grant);
    const path = file ?? newFile;
    if (path === undefined)
      throw new Error('this user has no home folder for a configuration; name a file with --config');
    changed.push({ path, before, after });
  }
  if (requests.length > 0) {
    const path = join(skill.root, 'ambit.yaml');
    if ((await lstat(path)).isSymbolicLink())
      throw new Error(`${path} is a symlink; change the request of ${id} by hand`);
    const before = await readText(path);
    const after = requests.reduce(
      (text, { script, capabilities }) => addToYaml(text, requestPath(text, script), capabilities),
      before,
    );
    readSidecar(after);
    changed.push({ path, before, after });
  }
  return changed;
}

/** Names changes, so that a person decides about exactly these: of other texts, they have another name. */
export function reviewOf(changes: readonly ChangedFile[]): string {
  const texts = changes.map(({ path, before, after }) => [path, before ?? null, after]);
  return hash('sha256', JSON.stringify(texts)).slice(0, 16);
}

/** Replaces the files, each atomically. Throws for a file that has changed since it was read. */
export async function writeChanges(changes: readonly ChangedFile[]): Promise<void> {
  for (const { path, before, after } of changes) {
    const current = before === undefined && !existsSync(path) ? undefined : await readText(path);
    if (current !== before) throw new Error(`${path} has changed in the meantime; run the command again`);
    if (before === undefined) await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    // A symlink stays one.
    await writeAtomically(before === undefined ? path : await realpath(path), after);
  }
}

/** The text of a file. Rejects if it is not UTF-8. */
export async function readText(path: string): Promise<string> {
  const bytes = await readOrdinaryFile(path);
  const text = bytes.toString();
  if (!Buffer.from(text).equals(bytes)) throw new Error(`${path} is not UTF-8; change it by hand`);
  return text;
}

/** Returns the place of a run's request in the sidecar. A named run without capabilities inherits the ones of `run`. */
function requestPath(text: string, script: string | null): string[] {
  const run = ['run', 'capabilities'];
  if (script === null) return run;
  const own = ['run', 'scripts', script, 'capabilities'];
  return isMap(parseDocument(text, { logLevel: 'error' }).getIn(own)) ? own : run;
}
