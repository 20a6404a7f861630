import type { SkillPageQuery } from '@ambit/api';
import type { Skill } from '@ambit/core';
import { isById } from '../../../prompts/find-skills.ts';
import { requestInvalid } from '../../route/parse-request.ts';

/**
 * A page of the skills that match `query`, in their order, and the `after` of the next page; `null`
 * on the last page. A list by id continues even if the last skill of a page was removed. A
 * selection or a search, which has its own order, then throws `REQUEST_INVALID`.
 */
export function pageOfSkills(
  skills: readonly Skill[],
  { limit, after, ...query }: SkillPageQuery,
): { skills: readonly Skill[]; next: string | null } {
  const from = after === undefined ? 0 : startAfter(after, skills, isById(query));
  const page = skills.slice(from, from + limit);
  return { skills: page, next: from + limit < skills.length ? (page.at(-1)?.id ?? null) : null };
}

function startAfter(after: string, skills: readonly Skill[], byId: boolean): number {
  const at = skills.findIndex(({ id }) => (byId ? id > after : id === after));
  if (byId) return at === -1 ? skills.length : at;
  if (at !== -1) return at + 1;
  const message = '"after" names no skill of this list; leave it out to start from the first page';
  throw requestInvalid([{ at: '/after', message }]);
}
