import type { Skill } from '@ambit/core';
import { idOfModelName, modelName } from '../tool/model-name.ts';

/**
 * The resource URI of a file of a skill: `skill://<name>/<path>`, with each part of the path
 * percent-encoded. The name is `modelName` of the id, because a colon would begin a port.
 */
export function skillUri({ id }: Pick<Skill, 'id'>, path: string): string {
  return `skill://${modelName(id)}/${path.split('/').map(encodeURIComponent).join('/')}`;
}

/**
 * The skill and path of a `skill://` URI; `path` is `''` for the skill's folder. `undefined` for
 * any other URI.
 */
export function readSkillUri(uri: string): { id: string; path: string } | undefined {
  const [, name, path = ''] =
    /^skill:\/\/([a-z0-9-]{1,64}(?:__[a-z0-9-]{1,64})?)(?:\/([^?#]*))?$/.exec(uri) ?? [];
  if (name === undefined) return undefined;
  try {
    return {
      id: idOfModelName(name),
      path: path.replace(/\/$/, '').split('/').map(decodeURIComponent).join('/'),
    };
  } catch {
    return undefined; // an invalid percent escape
  }
}
