import { cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { UsageError } from '@ambit/core/outcome';
import { writeAtomically } from '@ambit/runtime';
import type { PlannedMerge } from './plan-merge.ts';
import { withPhases } from './with-phases.ts';

/** The folder of replaced skills, below the folder of skills. They are two levels down, where no catalog looks. */
const aside = '.replaced';

/** Returns the path where a merge stores the replaced skill, relative to the folder of skills; `undefined` without one. */
export function storedAt({ action, existing }: PlannedMerge): string | undefined {
  if (action.kind !== 'replace' || existing === undefined) return undefined;
  return join(aside, `${basename(existing.root)}-${existing.digest.replace('sha256:', '').slice(0, 8)}`);
}

/**
 * Applies a plan, one skill after the other, each completely or not at all. Creates `into` if it does
 * not exist.
 *
 * Throws a `UsageError` at the first skill that cannot be written; the skills before it stay merged.
 */
export async function applyMerge(merges: readonly PlannedMerge[], into: string): Promise<void> {
  let done = 0;
  let temporaryFolder: string | undefined;
  try {
    await mkdir(into, { recursive: true });
    // A folder can only be renamed within one file system.
    temporaryFolder = await mkdtemp(join(into, '.merge-'));
    for (const merge of merges) {
      await apply(merge, into, join(temporaryFolder, merge.action.id));
      done++;
    }
  } catch (error) {
    throw new UsageError(
      `cannot merge ${merges[done]?.action.id ?? 'anything'} into ${into}: ${(error as Error).message} (${done} of ${merges.length} done; run the same command again for the rest)`,
      { cause: error },
    );
  } finally {
    if (temporaryFolder !== undefined) await rm(temporaryFolder, { recursive: true, force: true });
  }
}

async function apply(merge: PlannedMerge, into: string, draft: string): Promise<void> {
  const { action, learned, existing } = merge;
  const place = join(into, action.id);
  switch (action.kind) {
    case 'keep':
      return;
    case 'add':
      await cp(learned.root, draft, { recursive: true });
      return rename(draft, place);
    case 'extend':
      return existing && extend(join(existing.root, 'ambit.yaml'), action.phases.after);
    case 'replace':
      await cp(learned.root, draft, { recursive: true });
      return existing && replace(existing.root, join(into, storedAt(merge) ?? aside), draft, place);
    case 'ask':
      throw new Error('the question is unanswered');
    default:
      action satisfies never;
  }
}

async function extend(sidecar: string, phases: readonly string[]): Promise<void> {
  await writeAtomically(sidecar, withPhases(await readFile(sidecar, 'utf8'), phases));
}

async function replace(old: string, backup: string, learned: string, place: string): Promise<void> {
  await mkdir(join(backup, '..'), { recursive: true });
  // It has the same digest, so nothing is lost.
  await rm(backup, { recursive: true, force: true });
  await rename(old, backup);
  try {
    await rename(learned, place);
  } catch (error) {
    await rename(backup, old);
    throw error;
  }
}
