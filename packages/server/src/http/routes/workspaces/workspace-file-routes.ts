import { pathProblem } from '@ambit/core/internal';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { WorkspaceFileAnswer } from '../../../wire/answer/workspace.ts';
import { workspaceFileAnswer } from '../../../wire/answer/workspace-answer.ts';
import type { AppDeps } from '../../app-deps.ts';
import { Refusal } from '../../problem/refusal.ts';
import { entityTag, isKnown, precondition } from '../../request/entity-tags.ts';
import { pathOf, rightsOf } from '../../request-state.ts';
import { bare, json, stream } from '../../route/answer.ts';
import { defineRoute } from '../../route/define-route.ts';
import type { AccessFor } from '../access-for.ts';
import { callSignal } from '../calls/call-signal.ts';

const Params = z.strictObject({
  id: z.string().describe("The workspace's id."),
  path: z.string().describe("The file's path: each name percent-encoded by itself, with slashes between."),
});

const Conditions = z.object({
  'if-match': z.string().optional().describe('The `ETag` that the file has to have; `*`: any, but a file.'),
  'if-none-match': z
    .string()
    .optional()
    .describe('The `ETag` of what is known already, or is not to be changed; `*`: any file.'),
});

const tagged = { headers: { ETag: "The file's digest, in quotation marks." } };
const changing = ['WORKSPACE_NOT_FOUND', 'WORKSPACE_BUSY', 'PRECONDITION_FAILED'] as const;

/**
 * The files of a workspace, as their bytes. What is read is never shown by a browser, whatever it is; what is put or
 * deleted waits for the calls in the workspace.
 */
export function workspaceFileRoutes(
  app: FastifyInstance,
  { shutdown, jobs }: Pick<AppDeps, 'shutdown' | 'jobs'>,
  reachFor: AccessFor,
): void {
  /** Counts a file's bytes for as long as they are in memory, however long that is. */
  const whileHeld = async <T>(request: FastifyRequest, bytes: number, act: () => Promise<T>): Promise<T> => {
    const release = jobs.hold(rightsOf(request).actor, bytes);
    try {
      return await act();
    } finally {
      release();
    }
  };
  const place = { url: '/workspaces/:id/files/*', params: Params, headers: Conditions };
  const common = { ...place, scope: 'skills:execute', group: 'Workspaces' } as const;

  defineRoute(app, {
    ...{ method: 'GET', ...common },
    id: 'getWorkspaceFile',
    summary: 'Read a file',
    description: 'As it was last kept, whatever runs in the workspace just now.',
    answers: {
      200: stream(
        'The file.',
        { 'application/octet-stream': { description: 'Its bytes.' } },
        { headers: { ...tagged.headers, 'Last-Modified': 'When it got these bytes.' } },
      ),
      304: bare('It is the one of `If-None-Match`.', tagged),
    },
    problems: ['WORKSPACE_NOT_FOUND', 'WORKSPACE_FILE_NOT_FOUND', 'PRECONDITION_FAILED'],
    async handle({ params: { id }, headers }, request, reply) {
      const path = filePath(request);
      const { workspaces } = reachFor(request);
      const bytes = workspaces.get(id).files.find((each) => each.path === path)?.bytes ?? 0;
      return whileHeld(request, bytes, async () => {
        const { file, content } = await workspaces.read(id, path);
        precondition({ 'if-match': headers['if-match'] })(file);
        reply.header('etag', entityTag(file));
        if (isKnown(headers, file)) return reply.code(304).send();
        return reply
          .headers({
            'content-disposition': 'attachment',
            'content-security-policy': "default-src 'none'; sandbox",
            'last-modified': new Date(file.modified).toUTCString(),
          })
          .type('application/octet-stream')
          .send(content);
      });
    },
  });

  defineRoute(app, {
    ...{ method: 'PUT', ...common },
    id: 'putWorkspaceFile',
    summary: 'Put a file',
    description:
      'Makes it, or puts it in the place of the one that is there, when the calls before it have ended.',
    bytes: "The file's bytes, whatever is in it; no body is an empty file.",
    answers: {
      200: json('It is in the place of another.', WorkspaceFileAnswer, tagged),
      201: json('It is new.', WorkspaceFileAnswer, tagged),
    },
    problems: [...changing, 'WORKSPACE_FULL', 'INPUT_INVALID'],
    async handle({ params, headers, bytes: content }, request, reply) {
      const put = { path: filePath(request), content };
      const { file, isNew } = await whileHeld(request, content.length, () =>
        reachFor(request).workspaces.put(params.id, put, precondition(headers), callSignal(reply, shutdown)),
      );
      reply.code(isNew ? 201 : 200).header('etag', entityTag(file));
      return workspaceFileAnswer(file);
    },
  });

  defineRoute(app, {
    ...{ method: 'DELETE', ...common },
    id: 'deleteWorkspaceFile',
    summary: 'Delete a file',
    description: 'When the calls before it have ended.',
    answers: { 204: bare('It is gone.') },
    problems: [...changing, 'WORKSPACE_FILE_NOT_FOUND'],
    async handle({ params, headers }, request, reply) {
      await reachFor(request).workspaces.drop(
        params.id,
        filePath(request),
        precondition(headers),
        callSignal(reply, shutdown),
      );
      return reply.code(204).send();
    },
  });
}

/** `/workspaces/ID/files/` has this many parts before the file's own. */
const partsBefore = 4;

/** Part by part, so that a slash that is written `%2F` separates nothing; what does not name one file is refused. */
function filePath(request: FastifyRequest): string {
  const parts = pathOf(request).split('/').slice(partsBefore).map(decodeURIComponent);
  const path = parts.join('/');
  const problem = parts.some((part) => part.includes('/'))
    ? 'has a name with a slash in it'
    : pathProblem(path);
  if (problem === undefined) return path;
  const message = `the path ${JSON.stringify(path.slice(0, 200))} ${problem}`;
  throw new Refusal('REQUEST_INVALID', message, { issues: [{ at: '/*', message }] });
}
