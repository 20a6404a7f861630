import { pathProblem } from '@ambit/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type WorkspaceFileAnswer, workspaceFileAnswer } from '../../../wire/workspace-answer.ts';
import type { AppDeps } from '../../app-deps.ts';
import { bytesOf } from '../../door/bytes-body.ts';
import { entityTag, isKnown, precondition } from '../../door/entity-tags.ts';
import { parseRequest } from '../../door/parse-request.ts';
import { Refusal } from '../../problem/refusal.ts';
import { pathOf } from '../../request-state.ts';
import { callSignal } from '../call-signal.ts';
import type { ReachFor } from '../reach-for.ts';

const Params = z.strictObject({ id: z.string(), '*': z.string() });
const NoQuery = z.strictObject({});

/**
 * The files of a workspace, as their bytes. What is read is never shown by a browser, whatever it is; what is put or
 * deleted waits for the calls in the workspace.
 */
export function workspaceFileRoutes(
  app: FastifyInstance,
  { shutdown }: Pick<AppDeps, 'shutdown'>,
  reachFor: ReachFor,
): void {
  const url = '/workspaces/:id/files/*';

  app.get(url, async (request, reply) => {
    const { id, path } = placeIn(request);
    const { file, content } = await reachFor(request).workspaces.read(id, path);
    precondition({ 'if-match': request.headers['if-match'] })(file);
    reply.header('etag', entityTag(file));
    if (isKnown(request.headers, file)) return reply.code(304).send();
    return reply
      .headers({
        'content-disposition': 'attachment',
        'content-security-policy': "default-src 'none'; sandbox",
        'last-modified': new Date(file.modified).toUTCString(),
      })
      .type('application/octet-stream')
      .send(content);
  });

  app.put(url, async (request, reply): Promise<WorkspaceFileAnswer> => {
    const { id, path } = placeIn(request);
    const { file, isNew } = await reachFor(request).workspaces.put(
      id,
      { path, content: bytesOf(request) },
      precondition(request.headers),
      callSignal(reply, shutdown),
    );
    reply.code(isNew ? 201 : 200).header('etag', entityTag(file));
    return workspaceFileAnswer(file);
  });

  app.delete(url, async (request, reply) => {
    const { id, path } = placeIn(request);
    await reachFor(request).workspaces.drop(
      id,
      path,
      precondition(request.headers),
      callSignal(reply, shutdown),
    );
    return reply.code(204).send();
  });
}

/** `/workspaces/ID/files/` has this many parts before the file's own. */
const partsBefore = 4;

/** Part by part, so that a slash that is written `%2F` separates nothing; what does not name one file is refused. */
function placeIn(request: FastifyRequest): { id: string; path: string } {
  const { id } = parseRequest(Params, request.params);
  parseRequest(NoQuery, request.query);
  const parts = pathOf(request).split('/').slice(partsBefore).map(decodeURIComponent);
  const path = parts.join('/');
  const problem = parts.some((part) => part.includes('/'))
    ? 'has a name with a slash in it'
    : pathProblem(path);
  if (problem === undefined) return { id, path };
  const message = `the path ${JSON.stringify(path.slice(0, 200))} ${problem}`;
  throw new Refusal('REQUEST_INVALID', message, { issues: [{ at: '/*', message }] });
}
