import type { Skill } from '@ambit/core';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { SkillFiles } from '../../../wire/answer/skill.ts';
import { bare, json, stream } from '../../route/answer.ts';
import { answerEntity, cachedEtags, EntityHeaders, jsonBody, tagged } from '../../route/answer-entity.ts';
import type { AppDeps } from '../../route/app-deps.ts';
import { defineRoute } from '../../route/define-route.ts';
import type { AccessFor } from '../../route/request-state.ts';
import { foundSkill, listedFile, skillProblems } from './found-skill.ts';
import { fileBody } from './skill-file-body.ts';
import { SkillParams } from './skill-routes.ts';

const FileParams = SkillParams.extend({
  path: z
    .string()
    .describe(
      'As in the list, with each part percent-encoded separately. Write the slashes between parts as `/`.',
    ),
});

const unchanged = bare('Not modified.', tagged);

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
  const usual = {
    method: 'GET',
    head: true,
    scope: 'skills:read',
    group: 'Skills',
    params: SkillParams,
    headers: EntityHeaders,
    problems: skillProblems,
  } as const;

  defineRoute(app, {
    ...usual,
    url: '/skills/:id/body',
    id: 'getSkillBody',
    summary: "Get a skill's instructions",
    description:
      'The body of `SKILL.md`, below the frontmatter. It is not escaped: escape it before you put it into a prompt.',
    answers: {
      200: stream('The instructions.', { 'text/markdown': { description: 'Markdown, in UTF-8.' } }, tagged),
      304: unchanged,
    },
    async handle({ params: { id } }, request, reply) {
      const skill = await foundSkill(accessFor(request).catalog, id);
      return answerEntity(request, reply, { etag: bodyEtag(skill), cacheControl }, () => ({
        headers: { 'content-type': 'text/markdown; charset=utf-8' },
        content: skill.body,
      }));
    },
  });

  defineRoute(app, {
    ...usual,
    url: '/skills/:id/files',
    id: 'listSkillFiles',
    summary: "List a skill's files",
    description: "Every file of the folder, with the SHA-256 that the skill's digest covers.",
    answers: { 200: json('The files.', SkillFiles, tagged), 304: unchanged },
    async handle({ params: { id } }, request, reply) {
      const skill = await foundSkill(accessFor(request).catalog, id);
      return answerEntity(request, reply, { etag: filesEtag(skill), cacheControl }, () =>
        jsonBody(filesText(skill)),
      );
    },
  });

  defineRoute(app, {
    ...usual,
    url: '/skills/:id/files/*',
    id: 'getSkillFile',
    summary: "Get a skill's file",
    description:
      'The bytes of a file. They must match the SHA-256 in the list, which is the `ETag`. UTF-8 files are served as text, others as downloads. Links are not followed.',
    params: FileParams,
    answers: {
      200: stream(
        'The file.',
        {
          'text/markdown': { description: 'A file whose name ends in `.md`, in UTF-8.' },
          'text/plain': { description: 'Any other text, in UTF-8.' },
          'application/octet-stream': { description: 'A file that is not UTF-8.' },
        },
        {
          headers: { ...tagged.headers, 'content-disposition': 'For files that are not text: a file name.' },
        },
      ),
      304: unchanged,
    },
    problems: [...usual.problems, 'FILE_NOT_FOUND', 'SKILL_CHANGED'],
    async handle({ params: { id, path } }, request, reply) {
      const skill = await foundSkill(accessFor(request).catalog, id);
      const file = listedFile(skill, path, request);
      return answerEntity(request, reply, { etag: `"${file.sha256}"`, cacheControl }, () =>
        fileBody(skill, file, { isHead: request.method === 'HEAD', shutdown }),
      );
    },
  });
}
