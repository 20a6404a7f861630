import { type SkillFiles, skillContracts } from '@ambit/api';
import type { Skill } from '@ambit/core';
import { usableSkill } from '@ambit/core/skill';
import type { FastifyInstance } from 'fastify';
import { answerEntity, cachedEtags, jsonBody } from '../../route/answer-entity.ts';
import type { AppDeps } from '../../route/app-deps.ts';
import type { AccessFor } from '../../route/request-state.ts';
import { route } from '../../route/route.ts';
import { listedFile } from './found-skill.ts';
import { fileBody } from './skill-file-body.ts';

/**
 * The content of a skill: `GET /skills/:id/body`, `GET /skills/:id/files` and `/skills/:id/files/*`
 * for each file.
 */
export function skillContentRoutes(
  app: FastifyInstance,
  { shutdown }: Pick<AppDeps, 'shutdown'>,
  accessFor: AccessFor,
): void {
  const filesText = ({ digest, files }: Skill) => JSON.stringify({ digest, files } satisfies SkillFiles);
  const [filesEtag, bodyEtag] = [cachedEtags(filesText), cachedEtags(({ body }: Skill) => body)];
  const cacheControl = 'private, no-cache';

  route(app, skillContracts.getSkillBody, async ({ params: { id } }, request, reply) => {
    const skill = await usableSkill(accessFor(request).catalog, id);
    return answerEntity(request, reply, { etag: bodyEtag(skill), cacheControl }, () => ({
      headers: { 'content-type': 'text/markdown; charset=utf-8' },
      content: skill.body,
    }));
  });

  route(app, skillContracts.listSkillFiles, async ({ params: { id } }, request, reply) => {
    const skill = await usableSkill(accessFor(request).catalog, id);
    return answerEntity(request, reply, { etag: filesEtag(skill), cacheControl }, () =>
      jsonBody(filesText(skill)),
    );
  });

  route(app, skillContracts.getSkillFile, async ({ params: { id, path } }, request, reply) => {
    const skill = await usableSkill(accessFor(request).catalog, id);
    const file = listedFile(skill, path, request);
    return answerEntity(request, reply, { etag: `"${file.sha256}"`, cacheControl }, () =>
      fileBody(skill, file, { isHead: request.method === 'HEAD', shutdown }),
    );
  });
}
