import { workspaceContracts } from '@ambit/api';
import type { FastifyInstance } from 'fastify';
import { workspaceAnswer, workspaceSummary } from '../../../wire/answer/workspace.ts';
import { callSignal } from '../../connections/when-closed.ts';
import type { AppDeps } from '../../route/app-deps.ts';
import type { AccessFor } from '../../route/request-state.ts';
import { route } from '../../route/route.ts';

/**
 * Workspaces that persist across calls. Only the key that created one can list, read or delete it.
 */
export function workspaceRoutes(
  app: FastifyInstance,
  { shutdown }: Pick<AppDeps, 'shutdown'>,
  accessFor: AccessFor,
): void {
  route(
    app,
    workspaceContracts.createWorkspace,
    async ({ body: { expiresInSeconds, ...options } }, request, reply) => {
      const expiresInMs = expiresInSeconds === undefined ? undefined : expiresInSeconds * 1000;
      const workspace = await accessFor(request).workspaces.create({ ...options, expiresInMs });
      reply.code(201).header('location', `/workspaces/${workspace.id}`);
      return workspaceAnswer(workspace);
    },
  );

  route(app, workspaceContracts.listWorkspaces, async (_, request) => {
    return { workspaces: (await accessFor(request).workspaces.list()).map(workspaceSummary) };
  });

  route(app, workspaceContracts.getWorkspace, async ({ params: { id } }, request) => {
    return workspaceAnswer(await accessFor(request).workspaces.get(id));
  });

  route(app, workspaceContracts.deleteWorkspace, async ({ params: { id } }, request, reply) => {
    await accessFor(request).workspaces.remove(id, callSignal(reply, shutdown));
    return reply.code(204).send();
  });
}
