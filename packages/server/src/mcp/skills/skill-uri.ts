import type { Skill } from '@ambit/core';
import { partsOfId, SkillName, skillIdOf } from '@ambit/core/skill';

/**
 * The resource URI of a file of a skill: `skill://NAME/PATH`, or `skill://NAMESPACE/NAME/PATH`, with each part of the path
 * percent-encoded. The skills extension requires the name before the path of `SKILL.md`.
 */
export function skillUri({ id }: Pick<Skill, 'id'>, path: string): string {
  const { namespace, name } = partsOfId(id);
  const folder = namespace === undefined ? name : `${namespace}/${name}`;
  return `skill://${folder}/${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** A place that a `skill://` URI can mean; `path` is `''` for the skill's folder. */
interface SkillPlace {
  id: string;
  path: string;
}

/**
 * Lists the meanings of a `skill://` URI: a path in a skill without a namespace, then one in a skill with it. Empty for any other
 * URI.
 */
export function readSkillUri(uri: string): SkillPlace[] {
  const [, first, rest = ''] = /^skill:\/\/([a-z0-9-]{1,64})(?:\/([^?#]*))?$/.exec(uri) ?? [];
  if (first === undefined) return [];
  try {
    const parts = rest.replace(/\/$/, '').split('/').map(decodeURIComponent);
    const [name = '', ...path] = parts;
    const plain = { id: first, path: parts.join('/') };
    if (!SkillName.safeParse(name).success) return [plain];
    return [plain, { id: skillIdOf(first, name), path: path.join('/') }];
  } catch {
    return []; // an invalid percent escape
  }
}
