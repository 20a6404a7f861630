import { workspaceContracts } from '@ambit/api';
import { pathProblem } from '@ambit/core/workspace';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { workspaceFileAnswer, workspaceSummary } from '../../../wire/answer/workspace.ts';
import { entriesOfTar } from '../../../wire/tar.ts';
import { dropStalled } from '../../connections/drop-stalled.ts';
import { callSignal, whenClosed } from '../../connections/when-closed.ts';
import type { AppDeps } from '../../route/app-deps.ts';
import { requestInvalid } from '../../route/parse-request.ts';
import { type AccessFor, pathOf, rightsOf } from '../../route/request-state.ts';
import { route } from '../../route/route.ts';
import { entityTag, isKnown, precondition } from './entity-tags.ts';
import { rangeOf } from './range-of.ts';
import { sentBytesMax, sentParts } from './sent-parts.ts';
import { uploadReceiver } from './upload-receiver.ts';

/** The bytes that an archive may have besides the contents: headers and padding. */
const archiveBytesMax = 256 * 1024 * 1024;

/**
 * The files of a workspace, as bytes. Browsers never display them. Writes and deletions wait for
 * the calls in the workspace.
 */
export function workspaceFileRoutes(
  app: FastifyInstance,
  { shutdown, places, jobs }: Pick<AppDeps, 'shutdown' | 'places' | 'jobs'>,
  accessFor: AccessFor,
): void {
  route(app, workspaceContracts.getWorkspaceFile, async ({ params: { id }, headers }, request, reply) => {
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
  });

  const whole = uploadReceiver({ shutdown, places, jobs }, accessFor);

  route(app, workspaceContracts.putWorkspaceFile, ({ params: { id }, headers, bytes }, request, reply) => {
    const path = filePath(request);
    return whole(request, reply, { id, bytes, beside: 0 }, async (content, signal) => {
      const { workspaces } = accessFor(request);
      const { file, isNew } = await workspaces.put(id, { path, content }, precondition(headers), signal);
      reply.code(isNew ? 201 : 200).header('etag', entityTag(file));
      return workspaceFileAnswer(file);
    });
  });

  route(app, workspaceContracts.putWorkspaceFiles, ({ params: { id }, bytes }, request, reply) =>
    whole(request, reply, { id, bytes, beside: archiveBytesMax }, async (content, signal) =>
      workspaceSummary(await accessFor(request).workspaces.putAll(id, await entriesOfTar(content), signal)),
    ),
  );

  route(app, workspaceContracts.deleteWorkspaceFile, async ({ params, headers }, request, reply) => {
    await accessFor(request).workspaces.drop(
      params.id,
      filePath(request),
      precondition(headers),
      callSignal(reply, shutdown),
    );
    return reply.code(204).send();
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
  throw requestInvalid([{ at: '/*', message }]);
}
