import { z } from 'zod';
import { partsOfId, separator, skillIdOf } from './id-parts.ts';

/** 1–64 of `a-z0-9-`, no leading, trailing or double hyphen (specification, "name"). */
export const SkillName = z
  .string()
  .max(64)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'a name is 1–64 of a-z, 0-9 and single hyphens');

/** `name`, or `namespace:name` for a skill of a folder with a namespace. Both have the form of a skill's name. */
export const SkillId = z
  .string()
  .refine(
    (id) => id.split(separator).length <= 2 && id.split(separator).every((part) => isName(part)),
    'an id is a name, or namespace:name; both are 1–64 of a-z, 0-9 and single hyphens',
  );

/** The positions of ids in a list, by id, and by name if one id has it. An id takes precedence over a name. */
export function placesByIdAndName(ids: readonly string[]): Map<string, number> {
  const places = new Map<string, number>();
  for (const [name, found] of Map.groupBy(ids.keys(), (at) => partsOfId(ids[at] as string).name))
    if (found.length === 1) places.set(name, found[0] as number);
  for (const [at, id] of ids.entries()) places.set(id, at);
  return places;
}

/** In order: the ids that a reference in the skill `by` can mean. Its own namespace comes first. */
export function meaningsOf(reference: string, by: string): string[] {
  const { namespace } = partsOfId(by);
  return namespace === undefined || partsOfId(reference).namespace !== undefined
    ? [reference]
    : [skillIdOf(namespace, reference), reference];
}

function isName(text: string): boolean {
  return SkillName.safeParse(text).success;
}
