import { pathProblem } from '@ambit/core/internal';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { WorkspaceFileAnswer, workspaceFileAnswer } from '../../../wire/answer/workspace.ts';
import { callSignal } from '../../connections/when-closed.ts';
import { Refusal } from '../../problem/refusal.ts';
import { bare, json, stream } from '../../route/answer.ts';
import type { AppDeps } from '../../route/app-deps.ts';
import { defineRoute } from '../../route/define-route.ts';
import { type AccessFor, pathOf, rightsOf } from '../../route/request-state.ts';
import { entityTag, isKnown, precondition } from './entity-tags.ts';

const Params = z.strictObject({
  id: z.string().describe("The workspace's id."),
  path: z
    .string()
    .describe("The file's path, with each name percent-encoded separately and slashes between them."),
});

const Conditions = z.object({
  'if-match': z
    .string()
    .optional()
    .describe('The `ETag` that the file must have; `*` matches any existing file.'),
  'if-none-match': z
    .string()
    .optional()
    .describe('The `ETag` that the file must not have; `*` matches any existing file.'),
});

const tagged = { headers: { ETag: "The file's digest, in quotation marks." } };
const changing = [
  'STORE_UNAVAILABLE',
  'WORKSPACE_NOT_FOUND',
  'WORKSPACE_BUSY',
  'PRECONDITION_FAILED',
] as const;

/**
 * The files of a workspace, as bytes. Browsers never display them. Writes and deletions wait for
 * the calls in the workspace.
 */
export function workspaceFileRoutes(
  app: FastifyInstance,
  { shutdown, jobs }: Pick<AppDeps, 'shutdown' | 'jobs'>,
  accessFor: AccessFor,
): void {
  /** Counts a file's bytes while they are in memory. */
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
    description: 'The stored version. A call that runs in the workspace does not affect it until it ends.',
    answers: {
      200: stream(
        'The file.',
        { 'application/octet-stream': { description: 'Its bytes.' } },
        { headers: { ...tagged.headers, 'Last-Modified': 'When its content last changed.' } },
      ),
      304: bare('Not modified.', tagged),
    },
    problems: ['STORE_UNAVAILABLE', 'WORKSPACE_NOT_FOUND', 'WORKSPACE_FILE_NOT_FOUND', 'PRECONDITION_FAILED'],
    async handle({ params: { id }, headers }, request, reply) {
      const path = filePath(request);
      const { workspaces } = accessFor(request);
      const bytes = (await workspaces.get(id)).files.find((each) => each.path === path)?.bytes ?? 0;
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
    summary: 'Write a file',
    description: 'Creates or replaces the file, after earlier calls in the workspace have ended.',
    bytes: "The file's bytes. An empty body creates an empty file.",
    answers: {
      200: json('The file was replaced.', WorkspaceFileAnswer, tagged),
      201: json('The file was created.', WorkspaceFileAnswer, tagged),
    },
    problems: [...changing, 'WORKSPACE_FULL', 'INPUT_INVALID'],
    async handle({ params, headers, bytes: content }, request, reply) {
      const put = { path: filePath(request), content };
      const { file, isNew } = await whileHeld(request, content.length, () =>
        accessFor(request).workspaces.put(params.id, put, precondition(headers), callSignal(reply, shutdown)),
      );
      reply.code(isNew ? 201 : 200).header('etag', entityTag(file));
      return workspaceFileAnswer(file);
    },
  });

  defineRoute(app, {
    ...{ method: 'DELETE', ...common },
    id: 'deleteWorkspaceFile',
    summary: 'Delete a file',
    description: 'Deletes the file, after earlier calls in the workspace have ended.',
    answers: { 204: bare('The file was deleted.') },
    problems: [...changing, 'WORKSPACE_FILE_NOT_FOUND'],
    async handle({ params, headers }, request, reply) {
      await accessFor(request).workspaces.drop(
        params.id,
        filePath(request),
        precondition(headers),
        callSignal(reply, shutdown),
      );
      return reply.code(204).send();
    },
  });
}

/** The number of parts of `/workspaces/ID/files/` before the file's own. */
const partsBefore = 4;

/**
 * Decoded part by part, because an encoded slash (`%2F`) separates nothing. A path that does not
 * name one file is refused.
 */
function filePath(request: FastifyRequest): string {
  const parts = pathOf(request).split('/').slice(partsBefore).map(decodeURIComponent);
  const path = parts.join('/');
  const problem = parts.some((part) => part.includes('/'))
    ? 'has a name that contains a slash'
    : pathProblem(path);
  if (problem === undefined) return path;
  const message = `the path ${JSON.stringify(path.slice(0, 200))} ${problem}`;
  throw new Refusal('REQUEST_INVALID', message, { issues: [{ at: '/*', message }] });
}
