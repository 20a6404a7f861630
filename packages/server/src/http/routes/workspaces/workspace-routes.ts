import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import {
  type WorkspaceAnswer,
  WorkspaceBody,
  type WorkspacesAnswer,
  workspaceAnswer,
  workspaceSummary,
} from '../../../wire/workspace-answer.ts';
import type { AppDeps } from '../../app-deps.ts';
import { parseRequest } from '../../door/parse-request.ts';
import { callSignal } from '../call-signal.ts';
import type { ReachFor } from '../reach-for.ts';

/** The parameters of `/workspaces/:id`. */
const WorkspaceParams = z.strictObject({ id: z.string() });
const NoQuery = z.strictObject({});

/** Workspaces that live across calls: made, listed, shown and removed by the key whose they are. */
export function workspaceRoutes(
  app: FastifyInstance,
  { shutdown }: Pick<AppDeps, 'shutdown'>,
  reachFor: ReachFor,
): void {
  app.post('/workspaces', async (request, reply): Promise<WorkspaceAnswer> => {
    const { expiresInSeconds, ...wish } = parseRequest(WorkspaceBody, request.body ?? {});
    const expiresInMs = expiresInSeconds === undefined ? undefined : expiresInSeconds * 1000;
    const workspace = await reachFor(request).workspaces.create({ ...wish, expiresInMs });
    reply.code(201).header('location', `/workspaces/${workspace.id}`);
    return workspaceAnswer(workspace);
  });

  app.get('/workspaces', async (request): Promise<WorkspacesAnswer> => {
    parseRequest(NoQuery, request.query);
    return { workspaces: reachFor(request).workspaces.list().map(workspaceSummary) };
  });

  app.get('/workspaces/:id', async (request): Promise<WorkspaceAnswer> => {
    const { id } = parseRequest(WorkspaceParams, request.params);
    parseRequest(NoQuery, request.query);
    return workspaceAnswer(reachFor(request).workspaces.get(id));
  });

  app.delete('/workspaces/:id', async (request, reply) => {
    const { id } = parseRequest(WorkspaceParams, request.params);
    await reachFor(request).workspaces.remove(id, callSignal(reply, shutdown));
    return reply.code(204).send();
  });
}
