import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** The files in a folder, by path: permissions and content, or `-> target` for a link. */
export async function written(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const visit = async (path: string): Promise<void> => {
    const [at, stats] = [join(folder, path), await lstat(join(folder, path))];
    if (stats.isSymbolicLink()) found[path] = `-> ${await readlink(at)}`;
    else if (stats.isFile())
      found[path] = `${(stats.mode & 0o777).toString(8)} ${await readFile(at, 'utf8')}`;
    else for (const name of await readdir(at)) await visit(join(path, name));
  };
  await visit('');
  return found;
}
