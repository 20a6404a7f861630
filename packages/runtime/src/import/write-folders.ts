import { copyFile, lstat, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ImportedSkill, ReportLine } from './imported.ts';

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
const skillFileBytesMax = 1024 * 1024;

async function writeFolder(out: string, { id, skillMd, sidecar, files }: ImportedSkill): Promise<void> {
  for (const text of [skillMd, sidecar ?? '']) {
    if (Buffer.byteLength(text) > skillFileBytesMax)
      throw new Error(
        `a skill's file has at most ${skillFileBytesMax} bytes; move what is long into references/`,
      );
  }
  await mkdir(out, { recursive: true });
  const beside = await mkdtemp(join(out, '.import-'));
  try {
    const made = join(beside, 'new');
    await mkdir(made);
    for (const { path, from } of files) {
      await mkdir(dirname(join(made, path)), { recursive: true });
      await copyFile(from, join(made, path));
    }
    await writeFile(join(made, 'SKILL.md'), skillMd);
    if (sidecar !== undefined) await writeFile(join(made, 'ambit.yaml'), sidecar);
    await exchange(made, join(out, id), join(beside, 'old'));
  } finally {
    await rm(beside, { recursive: true, force: true });
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

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}
