import { onTestFinished } from 'vitest';
import { type FolderCatalog, folderCatalog } from '../../../packages/runtime/src/index.ts';
import { writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

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
