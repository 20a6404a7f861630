import { join } from 'node:path';
import type { declaredDependencies } from '@ambit/installs';
import { listFolder, readOrdinaryFile } from '@ambit/runtime';

/** Larger files declare nothing. */
const fileBytesMax = 1024 * 1024;

/** What the files of a skill's folder declare that it needs. Runs nothing. */
export async function declaredIn(root: string): Promise<ReturnType<typeof declaredDependencies>> {
  const { entries } = await listFolder(root);
  const candidates = entries.filter(
    ({ path, link, bytes }) =>
      link === undefined &&
      bytes <= fileBytesMax &&
      /\.py$|(?:^|\/)(?:requirements\.txt|pyproject\.toml|package\.json)$/.test(path),
  );
  if (candidates.length === 0) return { requirements: [], refused: [] };
  const { declaredDependencies: declared, mayDeclare } = await import('@ambit/installs');
  const files = [];
  for (const { path } of candidates)
    if (mayDeclare(path)) files.push({ path, text: (await readOrdinaryFile(join(root, path))).toString() });
  return declared(files);
}
