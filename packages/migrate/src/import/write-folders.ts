import { constants } from 'node:fs';
import { mkdir, mkdtemp, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isThere } from '@ambit/runtime';
import type { ImportedSkill, ReportLine } from './skill/imported.ts';

/** Which skill folders were written, and which were there already and were left as they are. */
export interface WrittenFolders {
  written: string[];
  kept: string[];
}

/**
 * Writes skills below `out`, each whole or not at all: it is made beside its place and then renamed to it. What is there stays
 * as it is unless `force`; a skill that cannot be written is a line. With `dryRun` nothing is written, and the answer is what
 * would be.
 */
export async function writeFolders(
  out: string,
  skills: readonly ImportedSkill[],
  { force, dryRun }: { force: boolean; dryRun: boolean },
  lines: ReportLine[],
): Promise<WrittenFolders> {
  const result: WrittenFolders = { written: [], kept: [] };
  for (const skill of skills) {
    if (!force && (await isThere(join(out, skill.id)))) {
      result.kept.push(skill.id);
      lines.push({
        kind: 'left-out',
        about: skill.id,
        text: 'is there already; --force puts the imported one in its place',
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

/** Loading reads no more. */
const bytesMax = { 'SKILL.md': 1024 * 1024, 'ambit.yaml': 64 * 1024 };

async function writeFolder(out: string, { id, skillMd, sidecar, files }: ImportedSkill): Promise<void> {
  for (const [name, text] of [['SKILL.md', skillMd] as const, ['ambit.yaml', sidecar ?? ''] as const]) {
    if (Buffer.byteLength(text) > bytesMax[name])
      throw new Error(
        `a skill's ${name} has at most ${bytesMax[name]} bytes; move what is long into references/`,
      );
  }
  await mkdir(out, { recursive: true });
  const beside = await mkdtemp(join(out, '.import-'));
  try {
    const made = join(beside, 'new');
    await mkdir(made);
    for (const { path, from } of files) {
      await mkdir(dirname(join(made, path)), { recursive: true });
      await copyInto(join(made, path), from);
    }
    await writeFile(join(made, 'SKILL.md'), skillMd);
    if (sidecar !== undefined) await writeFile(join(made, 'ambit.yaml'), sidecar);
    await exchange(made, join(out, id), join(beside, 'old'));
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
}

/** What was listed as a file may have become a link or a pipe since: those are not opened. */
async function copyInto(place: string, from: string): Promise<void> {
  const file = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new Error(`${from} is no file any more`);
    await writeFile(place, file.createReadStream({ autoClose: false }), { flag: 'wx' });
  } finally {
    await file.close();
  }
}

/** What is at `place`, whatever it is, moves to `old`, and is deleted with it; it comes back if the new one cannot take its place. */
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
