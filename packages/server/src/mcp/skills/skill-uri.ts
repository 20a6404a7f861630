import type { Skill } from '@ambit/core';

/**
 * The resource URI of a file of a skill: `skill://<id>/<path>`, with each part of the path
 * percent-encoded.
 */
export function skillUri({ id }: Pick<Skill, 'id'>, path: string): string {
  return `skill://${id}/${path.split('/').map(encodeURIComponent).join('/')}`;
}

/**
 * The skill and path of a `skill://` URI; `path` is `''` for the skill's folder. `undefined` for
 * any other URI.
 */
export function readSkillUri(uri: string): { id: string; path: string } | undefined {
  const [, id, path = ''] = /^skill:\/\/([a-z0-9-]{1,64})(?:\/([^?#]*))?$/.exec(uri) ?? [];
  if (id === undefined) return undefined;
  try {
    return { id, path: path.replace(/\/$/, '').split('/').map(decodeURIComponent).join('/') };
  } catch {
    return undefined; // an invalid percent escape
  }
}
