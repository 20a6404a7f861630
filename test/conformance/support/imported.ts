import { join } from 'node:path';
import type { Skill } from '../../../packages/core/src/index.ts';
import { type ImportKind, type ImportReport, importSkills } from '../../../packages/migrate/src/index.ts';
import { folderCatalog } from '../../../packages/runtime/src/index.ts';
import { temporaryFolder, writeFiles } from '../../support/temporary-folder.ts';

/** Imports a source written by the test: the report, and the skills in the catalog. */
export async function imported(
  kind: ImportKind,
  files: Readonly<Record<string, string>>,
): Promise<{ report: ImportReport; skills: Map<string, Skill>; folder: string }> {
  const folder = await temporaryFolder();
  await writeFiles(join(folder, 'from'), files);
  const out = join(folder, 'skills');
  const report = await importSkills({ kind, from: join(folder, 'from'), out });
  const catalog = folderCatalog([{ path: out, tier: 'local' }]);
  const broken = await catalog.broken();
  if (broken.length > 0) throw new Error(`the import produced broken skills: ${JSON.stringify(broken)}`);
  return { report, skills: new Map((await catalog.list()).map((skill) => [skill.id, skill])), folder };
}
