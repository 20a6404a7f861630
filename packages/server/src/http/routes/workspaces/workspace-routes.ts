import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { WorkspaceAnswer, WorkspacesAnswer } from '../../../wire/answer/workspace.ts';
import { workspaceAnswer, workspaceSummary } from '../../../wire/answer/workspace-answer.ts';
import { WorkspaceBody } from '../../../wire/workspace-body.ts';
import type { AppDeps } from '../../app-deps.ts';
import { bare, json } from '../../route/answer.ts';
import { defineRoute } from '../../route/define-route.ts';
import type { AccessFor } from '../access-for.ts';
import { callSignal } from '../calls/call-signal.ts';

/** The parameters of `/workspaces/:id`. */
const WorkspaceParams = z.strictObject({ id: z.string().describe("The workspace's id.") });

/** Workspaces that live across calls: made, listed, shown and removed by the key whose they are. */
export function workspaceRoutes(
  app: FastifyInstance,
  { shutdown }: Pick<AppDeps, 'shutdown'>,
  reachFor: AccessFor,
): void {
  const common = { scope: 'skills:execute', group: 'Workspaces' } as const;
  const one = { ...common, url: '/workspaces/:id', params: WorkspaceParams };

  defineRoute(app, {
    ...{ method: 'POST', url: '/workspaces', ...common },
    id: 'createWorkspace',
    summary: 'Make a workspace',
    description: 'For this key alone, until nobody has used it for its time. Calls name it as `workspace`.',
    body: WorkspaceBody,
    bodyExample: { label: 'report', expiresInSeconds: 604_800 },
    answers: { 201: json('The workspace.', WorkspaceAnswer, { headers: { Location: 'Where it is.' } }) },
    problems: ['INPUT_INVALID', 'WORKSPACE_LIMIT'],
    async handle({ body: { expiresInSeconds, ...wish } }, request, reply) {
      const expiresInMs = expiresInSeconds === undefined ? undefined : expiresInSeconds * 1000;
      const workspace = await reachFor(request).workspaces.create({ ...wish, expiresInMs });
      reply.code(201).header('location', `/workspaces/${workspace.id}`);
      return workspaceAnswer(workspace);
    },
  });

  defineRoute(app, {
    ...{ method: 'GET', url: '/workspaces', ...common },
    id: 'listWorkspaces',
    summary: "The key's workspaces",
    description: 'Those of this key, oldest first.',
    answers: { 200: json('The workspaces.', WorkspacesAnswer) },
    problems: [],
    async handle(_, request) {
      return { workspaces: reachFor(request).workspaces.list().map(workspaceSummary) };
    },
  });

  defineRoute(app, {
    ...{ method: 'GET', ...one },
    id: 'getWorkspace',
    summary: 'One workspace',
    description: 'A workspace with its files. One of another key is as one that is not there.',
    answers: { 200: json('The workspace.', WorkspaceAnswer) },
    problems: ['WORKSPACE_NOT_FOUND'],
    async handle({ params: { id } }, request) {
      return workspaceAnswer(reachFor(request).workspaces.get(id));
    },
  });

  defineRoute(app, {
    ...{ method: 'DELETE', ...one },
    id: 'deleteWorkspace',
    summary: 'Delete a workspace',
    description: 'With all that is in it, when the calls in it have ended.',
    answers: { 204: bare('It is gone.') },
    problems: ['WORKSPACE_NOT_FOUND', 'WORKSPACE_BUSY'],
    async handle({ params: { id } }, request, reply) {
      await reachFor(request).workspaces.remove(id, callSignal(reply, shutdown));
      return reply.code(204).send();
    },
  });
}
