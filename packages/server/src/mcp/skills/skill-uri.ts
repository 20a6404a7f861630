import type { Skill } from '@ambit/core';

/** The resource that a file of a skill is: `skill://<id>/<path>`, its path's parts percent-encoded. */
export function skillUri({ id }: Pick<Skill, 'id'>, path: string): string {
  return `skill://${id}/${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** What a `skill://` URI names: `path` is `''` for the skill's folder. `undefined` for anything else. */
export function readSkillUri(uri: string): { id: string; path: string } | undefined {
  const [, id, path = ''] = /^skill:\/\/([a-z0-9-]{1,64})(?:\/([^?#]*))?$/.exec(uri) ?? [];
  if (id === undefined) return undefined;
  try {
    return { id, path: path.replace(/\/$/, '').split('/').map(decodeURIComponent).join('/') };
  } catch {
    return undefined; // a percent sign that introduces nothing
  }
}
