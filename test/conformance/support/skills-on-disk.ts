import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type FolderCatalog, folderCatalog } from '../../../packages/runtime/src/index.ts';
import { writeSkills } from '../../support/skills.ts';

/** A folder that is removed when the test ends, by its real path. */
export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'ambit-conformance-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Skill folders for one test (name → path → content) and a catalog over them. */
export async function skillsOnDisk(
  skills: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Promise<{ folder: string; catalog: FolderCatalog }> {
  const folder = await temporaryFolder();
  await writeSkills(folder, skills);
  const catalog = folderCatalog([{ path: folder, tier: 'local' }]);
  onTestFinished(() => catalog.close());
  return { folder, catalog };
}
