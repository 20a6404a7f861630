import type { Skill } from '@ambit/core';
import type { SkillFile } from '@ambit/core/internal';
import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../problem/refusal.ts';
import { pathOf } from '../../request-state.ts';

/**
 * The file of a skill that a request's path names, character for character: nothing is resolved, folded or normalized, so
 * that no other way of writing a path leads anywhere. A slash within a part is refused as well: each file has one URL.
 * Throws `FILE_NOT_FOUND`.
 */
export function listedFile({ id, files }: Skill, path: string, request: FastifyRequest): SkillFile {
  if (/%2f/i.test(pathOf(request)))
    throw fileNotFound(id, path, "write the slashes between a path's parts as they are, not as %2F");
  const file = files.find((each) => each.path === path);
  if (file === undefined) throw fileNotFound(id, path, `GET /skills/${id}/files lists those there are`);
  return file;
}

/** The refusal of a file that is not there, or not as it was listed. `remedy` says what to do. */
export function fileNotFound(skillId: string, path: string, remedy: string): Refusal {
  const name = JSON.stringify(path.slice(0, 200));
  return new Refusal('FILE_NOT_FOUND', `${skillId} has no file ${name} to be read; ${remedy}`);
}
