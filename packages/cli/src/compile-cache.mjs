import { lstatSync, mkdirSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { dirname } from 'node:path';

/**
 * Caches compiled code in a folder that only this user can write; creates it (mode 700) if it does not exist. Node runs the code
 * that it finds there, and checks neither owner nor content. So a link, a folder of another user, and a folder that others can
 * write are not used: every start then compiles again. Plain JavaScript, because it runs before types can be stripped.
 * @param {string} folder
 */
export function cacheCompiled(folder) {
  try {
    mkdirSync(dirname(folder), { recursive: true });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = lstatSync(folder);
    const isOwn = found.isDirectory() && found.uid === process.geteuid?.();
    if (isOwn && (found.mode & 0o022) === 0) enableCompileCache(folder);
  } catch {
    // It cannot be created, such as in a global installation by another user.
  }
}
