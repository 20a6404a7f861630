import { join } from 'node:path';
import type { declaredDependencies } from '@ambit/installs';
import { listFolder, readOrdinaryFile } from '@ambit/runtime';

/** Larger files declare nothing. */
const fileBytesMax = 1024 * 1024;

type Declared = ReturnType<typeof declaredDependencies> & {
  /** The text of its `package-lock.json`, in its own folder or in `scripts/`. */
  packageLock?: string;
};

/** Reads the dependencies that the files of a skill's folder declare. Runs nothing. */
export async function declaredIn(root: string): Promise<Declared> {
  const { entries } = await listFolder(root);
  const files = entries.filter(({ link }) => link === undefined);
  const candidates = files.filter(
    ({ path, bytes }) =>
      bytes <= fileBytesMax &&
      /\.py$|(?:^|\/)(?:requirements\.txt|pyproject\.toml|package\.json)$/.test(path),
  );
  const textOf = async (path: string): Promise<string> =>
    (await readOrdinaryFile(join(root, path))).toString();
  // A lock file can be larger: no file of a skill has more than the skill may have.
  const lock = ['package-lock.json', 'scripts/package-lock.json'].find((name) =>
    files.some(({ path }) => path === name),
  );
  if (candidates.length === 0) return { requirements: [], refused: [] };
  const { declaredDependencies: declared, mayDeclare } = await import('@ambit/installs');
  const read = [];
  for (const { path } of candidates) if (mayDeclare(path)) read.push({ path, text: await textOf(path) });
  const found = declared(read);
  return lock === undefined ? found : { ...found, packageLock: await textOf(lock) };
}
