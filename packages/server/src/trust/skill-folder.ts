import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The skill folder that a folder is or is inside: its files are served. `undefined` if there is none. */
export function skillFolderAround(folder: string): string | undefined {
  if (existsSync(join(folder, 'SKILL.md'))) return folder;
  const above = dirname(folder);
  return above === folder ? undefined : skillFolderAround(above);
}

/** The folder of the skill `id` where projects have their skills, or directly in `folder`. `undefined` if there is none. */
export function skillFolderBelow(folder: string, id: string): string | undefined {
  if (!/^[\w-]+$/.test(id)) return undefined;
  return [join(folder, 'skills', id), join(folder, id)].find((each) => existsSync(join(each, 'SKILL.md')));
}
