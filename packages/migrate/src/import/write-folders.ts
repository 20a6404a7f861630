import { constants } from 'node:fs';
import { mkdir, mkdtemp, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isThere } from '@ambit/runtime';
import type { ImportedSkill, ReportLine } from './skill/imported.ts';

/** The ids of skill folders that were written, and of existing folders that were left unchanged. */
export interface WrittenFolders {
  written: string[];
  existing: string[];
}

/**
 * Writes skills below `out`, each completely or not at all: it builds each folder beside its
 * destination, then renames it. Existing folders stay unchanged without `force`. A skill that cannot be
 * written is reported in a line. With `dryRun`, returns what would be written.
 */
export async function writeFolders(
  out: string,
  skills: readonly ImportedSkill[],
  { force, dryRun }: { force: boolean; dryRun: boolean },
  lines: ReportLine[],
): Promise<WrittenFolders> {
  const result: WrittenFolders = { written: [], existing: [] };
  for (const skill of skills) {
    if (!force && (await isThere(join(out, skill.id)))) {
      result.existing.push(skill.id);
      lines.push({
        kind: 'left-out',
        about: skill.id,
        text: 'already exists; use --force to replace it',
      });
      continue;
    }
    try {
      if (!dryRun) await writeFolder(out, skill);
      result.written.push(skill.id);
    } catch (error) {
      lines.push({
        kind: 'left-out',
        about: skill.id,
        text: `cannot be written: ${(error as Error).message}`,
      });
    }
  }
  return result;
}

/** The limits of loading. */
const bytesMax = { 'SKILL.md': 1024 * 1024, 'ambit.yaml': 64 * 1024 };

async function writeFolder(out: string, { id, skillMd, sidecar, files }: ImportedSkill): Promise<void> {
  for (const [name, text] of [['SKILL.md', skillMd] as const, ['ambit.yaml', sidecar ?? ''] as const]) {
    if (Buffer.byteLength(text) > bytesMax[name])
      throw new Error(`${name} exceeds ${bytesMax[name]} bytes; move long parts into references/`);
  }
  await mkdir(out, { recursive: true });
  const temporaryFolder = await mkdtemp(join(out, '.import-'));
  try {
    const made = join(temporaryFolder, 'new');
    await mkdir(made);
    for (const { path, from } of files) {
      await mkdir(dirname(join(made, path)), { recursive: true });
      await copyInto(join(made, path), from);
    }
    await writeFile(join(made, 'SKILL.md'), skillMd);
    if (sidecar !== undefined) await writeFile(join(made, 'ambit.yaml'), sidecar);
    await exchange(made, join(out, id), join(temporaryFolder, 'old'));
  } finally {
    await rm(temporaryFolder, { recursive: true, force: true });
  }
}

/** Copies a file, unless it has become a link or a pipe since it was listed. */
async function copyInto(place: string, from: string): Promise<void> {
  const file = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new Error(`${from} is no longer a regular file`);
    await writeFile(place, file.createReadStream({ autoClose: false }), { flag: 'wx' });
  } finally {
    await file.close();
  }
}

/** Moves anything at `place` to `old`, to be deleted with it, and moves it back if the rename fails. */
async function exchange(made: string, place: string, old: string): Promise<void> {
  const wasThere = await isThere(place);
  if (wasThere) await rename(place, old);
  try {
    await rename(made, place);
  } catch (error) {
    if (wasThere) await rename(old, place);
    throw error;
  }
}
