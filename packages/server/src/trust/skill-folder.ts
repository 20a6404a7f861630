import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { skillFileNames } from '@ambit/core/skill';

/** The skill folder that contains a folder or is that folder; `undefined` if there is none. Its files are served. */
export function skillFolderAround(folder: string): string | undefined {
  if (isSkillFolder(folder)) return folder;
  const above = dirname(folder);
  return above === folder ? undefined : skillFolderAround(above);
}

/** The folder of the skill `id` in `skills` or directly in `folder`; `undefined` if there is none. */
export function skillFolderBelow(folder: string, id: string): string | undefined {
  if (!/^[\w-]+$/.test(id)) return undefined;
  return [join(folder, 'skills', id), join(folder, id)].find(isSkillFolder);
}

function isSkillFolder(folder: string): boolean {
  return skillFileNames.some((name) => existsSync(join(folder, name)));
}
