import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import {
  WorkspaceAnswer,
  WorkspacesAnswer,
  workspaceAnswer,
  workspaceSummary,
} from '../../../wire/answer/workspace.ts';
import { WorkspaceBody } from '../../../wire/workspace-body.ts';
import { callSignal } from '../../connections/when-closed.ts';
import { bare, json } from '../../route/answer.ts';
import type { AppDeps } from '../../route/app-deps.ts';
import { defineRoute } from '../../route/define-route.ts';
import type { AccessFor } from '../../route/request-state.ts';

/** The parameters of `/workspaces/:id`. */
const WorkspaceParams = z.strictObject({ id: z.string().describe("The workspace's id.") });

/**
 * Workspaces that persist across calls. Only the key that created one can list, read or delete it.
 */
export function workspaceRoutes(
  app: FastifyInstance,
  { shutdown }: Pick<AppDeps, 'shutdown'>,
  accessFor: AccessFor,
): void {
  const common = { scope: 'skills:execute', group: 'Workspaces' } as const;
  const one = { ...common, url: '/workspaces/:id', params: WorkspaceParams };

  defineRoute(app, {
    method: 'POST',
    url: '/workspaces',
    ...common,
    id: 'createWorkspace',
    summary: 'Create a workspace',
    description:
      'Creates a workspace for this key alone. It expires when it has not been used for its time. Calls name it in `workspace`.',
    body: WorkspaceBody,
    bodyExample: { label: 'report', expiresInSeconds: 604_800 },
    answers: {
      201: json('The workspace.', WorkspaceAnswer, { headers: { Location: 'The URL of the workspace.' } }),
    },
    problems: ['STORE_UNAVAILABLE', 'INPUT_INVALID', 'WORKSPACE_LIMIT'],
    async handle({ body: { expiresInSeconds, ...options } }, request, reply) {
      const expiresInMs = expiresInSeconds === undefined ? undefined : expiresInSeconds * 1000;
      const workspace = await accessFor(request).workspaces.create({ ...options, expiresInMs });
      reply.code(201).header('location', `/workspaces/${workspace.id}`);
      return workspaceAnswer(workspace);
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/workspaces',
    ...common,
    id: 'listWorkspaces',
    summary: 'List workspaces',
    description: 'The workspaces of this key, oldest first.',
    answers: { 200: json('The workspaces.', WorkspacesAnswer) },
    problems: ['STORE_UNAVAILABLE'],
    async handle(_, request) {
      return { workspaces: (await accessFor(request).workspaces.list()).map(workspaceSummary) };
    },
  });

  defineRoute(app, {
    method: 'GET',
    ...one,
    id: 'getWorkspace',
    summary: 'Get a workspace',
    description: "A workspace with its files. Another key's workspace is reported as missing.",
    answers: { 200: json('The workspace.', WorkspaceAnswer) },
    problems: ['STORE_UNAVAILABLE', 'WORKSPACE_NOT_FOUND'],
    async handle({ params: { id } }, request) {
      return workspaceAnswer(await accessFor(request).workspaces.get(id));
    },
  });

  defineRoute(app, {
    method: 'DELETE',
    ...one,
    id: 'deleteWorkspace',
    summary: 'Delete a workspace',
    description: 'Deletes the workspace and its files, after the calls in it have ended.',
    answers: { 204: bare('The workspace was deleted.') },
    problems: ['STORE_UNAVAILABLE', 'WORKSPACE_NOT_FOUND', 'WORKSPACE_BUSY'],
    async handle({ params: { id } }, request, reply) {
      await accessFor(request).workspaces.remove(id, callSignal(reply, shutdown));
      return reply.code(204).send();
    },
  });
}
