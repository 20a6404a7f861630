import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The skill folder that a folder is, or lies in: its files are served. `undefined` outside of any. */
export function skillFolderAround(folder: string): string | undefined {
  if (existsSync(join(folder, 'SKILL.md'))) return folder;
  const above = dirname(folder);
  return above === folder ? undefined : skillFolderAround(above);
}
