import type { Skill } from '@ambit/core';
import type { SkillFile } from '@ambit/core/skill';
import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../../errors/refusal.ts';
import { pathOf } from '../../route/request-state.ts';

/**
 * The file of a skill that a request names, compared exactly: the path is not resolved, case-folded
 * or normalized. An encoded slash is refused, so each file has one URL. Throws `FILE_NOT_FOUND`.
 */
export function listedFile({ id, files }: Skill, path: string, request: FastifyRequest): SkillFile {
  if (/%2f/i.test(pathOf(request))) throw fileNotFound(id, path, 'separate its parts with /, not %2F');
  const file = files.find((each) => each.path === path);
  if (file === undefined) throw fileNotFound(id, path, `GET /skills/${id}/files lists its files`);
  return file;
}

/** The refusal for a missing or changed file. `remedy` says what to do. */
export function fileNotFound(skillId: string, path: string, remedy: string): Refusal {
  const name = JSON.stringify(path.slice(0, 200));
  return new Refusal('FILE_NOT_FOUND', `${skillId} has no file ${name}; ${remedy}`);
}
