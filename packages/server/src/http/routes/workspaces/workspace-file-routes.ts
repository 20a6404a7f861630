import { pathProblem } from '@ambit/core/workspace';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Refusal } from '../../../errors/refusal.ts';
import {
  WorkspaceFileAnswer,
  WorkspaceSummary,
  workspaceFileAnswer,
  workspaceSummary,
} from '../../../wire/answer/workspace.ts';
import { entriesOfTar } from '../../../wire/tar.ts';
import { dropStalled } from '../../connections/drop-stalled.ts';
import { callSignal, whenClosed } from '../../connections/when-closed.ts';
import { bare, json, stream } from '../../route/answer.ts';
import type { AppDeps } from '../../route/app-deps.ts';
import { defineRoute } from '../../route/define-route.ts';
import { type AccessFor, pathOf, rightsOf } from '../../route/request-state.ts';
import { entityTag, isKnown, precondition } from './entity-tags.ts';
import { rangeOf } from './range-of.ts';
import { sentBytesMax, sentParts } from './sent-parts.ts';
import { uploadReceiver } from './upload-receiver.ts';

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

const RangeHeaders = Conditions.extend({
  range: z
    .string()
    .optional()
    .describe('A range of bytes, `bytes=START-END`, `bytes=START-` or `bytes=-LENGTH`.'),
});

/** The bytes that an archive may have besides the contents: headers and padding. */
const archiveBytesMax = 256 * 1024 * 1024;

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
  { shutdown, places, jobs }: Pick<AppDeps, 'shutdown' | 'places' | 'jobs'>,
  accessFor: AccessFor,
): void {
  const place = { url: '/workspaces/:id/files/*', params: Params };
  const common = { ...place, scope: 'skills:execute', group: 'Workspaces' } as const;

  defineRoute(app, {
    method: 'GET',
    ...common,
    headers: RangeHeaders,
    id: 'getWorkspaceFile',
    summary: 'Read a file',
    description:
      'The stored version, or with `Range` some of its bytes. A call that runs in the workspace does not affect it until it ends.',
    answers: {
      200: stream(
        'The file.',
        { 'application/octet-stream': { description: 'Its bytes.' } },
        { headers: { ...tagged.headers, 'Last-Modified': 'When its content last changed.' } },
      ),
      206: stream(
        'A range of the file.',
        { 'application/octet-stream': { description: 'Its bytes.' } },
        { headers: { ...tagged.headers, 'Content-Range': 'The range, and the size of the file.' } },
      ),
      304: bare('Not modified.', tagged),
    },
    problems: ['STORE_UNAVAILABLE', 'WORKSPACE_NOT_FOUND', 'WORKSPACE_FILE_NOT_FOUND', 'PRECONDITION_FAILED'],
    async handle({ params: { id }, headers }, request, reply) {
      const { file, content } = await accessFor(request).workspaces.read(id, filePath(request));
      precondition({ 'if-match': headers['if-match'] })(file);
      reply.header('etag', entityTag(file));
      if (isKnown(headers, file)) return reply.code(304).send();
      const range = rangeOf(headers.range, file);
      if (range !== undefined)
        reply.code(206).header('content-range', `bytes ${range.start}-${range.end - 1}/${file.bytes}`);
      const { start, end } = range ?? { start: 0, end: file.bytes };
      whenClosed(reply, jobs.hold(rightsOf(request).actor, Math.min(end - start, sentBytesMax)));
      dropStalled(reply, shutdown);
      return reply
        .headers({
          'accept-ranges': 'bytes',
          'content-disposition': 'attachment',
          'content-security-policy': "default-src 'none'; sandbox",
          'content-length': String(end - start),
          'last-modified': new Date(file.modified).toUTCString(),
        })
        .type('application/octet-stream')
        .send(sentParts(content.parts(start, end), reply.raw));
    },
  });

  const whole = uploadReceiver({ shutdown, places, jobs }, accessFor);

  defineRoute(app, {
    method: 'PUT',
    ...common,
    headers: Conditions,
    id: 'putWorkspaceFile',
    summary: 'Write a file',
    description:
      'Creates or replaces the file, after earlier calls in the workspace have ended. The body may have as many bytes as the workspace may hold.',
    bytes: "The file's bytes. An empty body creates an empty file.",
    answers: {
      200: json('The file was replaced.', WorkspaceFileAnswer, tagged),
      201: json('The file was created.', WorkspaceFileAnswer, tagged),
    },
    problems: [...changing, 'WORKSPACE_FULL', 'INPUT_INVALID'],
    handle({ params: { id }, headers, bytes }, request, reply) {
      const path = filePath(request);
      return whole(request, reply, { id, bytes, beside: 0 }, async (content, signal) => {
        const { workspaces } = accessFor(request);
        const { file, isNew } = await workspaces.put(id, { path, content }, precondition(headers), signal);
        reply.code(isNew ? 201 : 200).header('etag', entityTag(file));
        return workspaceFileAnswer(file);
      });
    },
  });

  defineRoute(app, {
    method: 'PUT',
    scope: 'skills:execute',
    group: 'Workspaces',
    url: '/workspaces/:id/files',
    params: Params.pick({ id: true }),
    id: 'putWorkspaceFiles',
    summary: 'Write many files',
    description:
      'Creates or replaces the files, links and folders of a tar archive in one step, after earlier calls in the workspace have ended. Others stay.',
    bytes: 'The archive, uncompressed.',
    answers: { 200: json('The workspace.', WorkspaceSummary) },
    problems: [
      'STORE_UNAVAILABLE',
      'WORKSPACE_NOT_FOUND',
      'WORKSPACE_BUSY',
      'WORKSPACE_FULL',
      'INPUT_INVALID',
    ],
    handle: ({ params: { id }, bytes }, request, reply) =>
      whole(request, reply, { id, bytes, beside: archiveBytesMax }, async (content, signal) =>
        workspaceSummary(await accessFor(request).workspaces.putAll(id, await entriesOfTar(content), signal)),
      ),
  });

  defineRoute(app, {
    method: 'DELETE',
    ...common,
    headers: Conditions,
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
  throw new Refusal('REQUEST_INVALID', message, { details: { issues: [{ at: '/*', message }] } });
}
