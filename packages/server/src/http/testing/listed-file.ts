import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { SkillFile } from '@ambit/core/internal';

/** A file as a skill lists it in whose folder it lies. */
export function listedFile(file: string): SkillFile {
  const content = readFileSync(file);
  return { path: basename(file), bytes: content.length, sha256: hash('sha256', content) };
}
