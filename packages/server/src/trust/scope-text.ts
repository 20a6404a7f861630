import { join } from 'node:path';
import { configFileName } from '@ambit/client/node';
import type { ConfigScope } from './config-scope.ts';

/** The facts about a configuration that say which one it is. */
export interface ScopedConfig {
  scope: ConfigScope;
  /** Its path; `undefined`: there is no file, so defaults are in force. */
  file: string | undefined;
  userFile: string | undefined;
}

/** Says which configuration is in force and why, in one sentence without a full stop. */
export function scopeText({ scope, file, userFile }: ScopedConfig): string {
  switch (scope.kind) {
    case 'named':
      return `${file ?? 'no file'}, named by ${scope.by}`;
    case 'project':
      return file === undefined
        ? `defaults, for the project found at ${scope.folder}, which has ${scope.sign} and no ${configFileName}`
        : `${file}, of the project found at ${scope.folder}`;
    case 'user': {
      const searched =
        scope.searched === null ? '' : `, because no project was found in ${scope.searched} or above`;
      if (file !== undefined) return `${file}, the user's own${searched}`;
      const absent = userFile === undefined ? '' : `, and ${userFile} does not exist`;
      return `defaults, for the user${searched}${absent}`;
    }
    default:
      return scope satisfies never;
  }
}

/** The path of the file to edit, which need not exist; `undefined`: the user has none. */
export function editableFile({ scope, file, userFile }: ScopedConfig): string | undefined {
  if (file !== undefined) return file;
  return scope.kind === 'project' ? join(scope.folder, configFileName) : userFile;
}
