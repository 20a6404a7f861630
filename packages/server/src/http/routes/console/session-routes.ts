import { decisionFlaw } from '@ambit/core/inspect';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { hasScope } from '../../../auth/key-rights.ts';
import { programActor } from '../../../auth/reserved-actors.ts';
import {
  type ConsoleSession,
  decisionCharactersMax,
  idleMs,
  readingScopes,
} from '../../../console/console-sessions.ts';
import { sessionCookie } from '../../../console/session-cookie.ts';
import { Refusal } from '../../../errors/refusal.ts';
import {
  ConsoleCode,
  ConsoleSessions,
  OpenedConsoleSession,
  OwnConsoleSession,
} from '../../../wire/answer/console.ts';
import { scopeMissing } from '../../request/admit.ts';
import { askNodes } from '../../request/ask-nodes.ts';
import { checkSameOrigin } from '../../request/check-host.ts';
import { confirmationRequired } from '../../request/console-session.ts';
import { bare, json } from '../../route/answer.ts';
import type { AppDeps } from '../../route/app-deps.ts';
import { defineRoute } from '../../route/define-route.ts';
import { rightsOf } from '../../route/request-state.ts';

const Code = z.strictObject({ code: z.string().min(1).max(200).describe('A one-time code.') });

/**
 * One-time codes and sessions of the web console. The first key gets codes, because only who may read the data directory has
 * it. No session gets any.
 */
export function sessionRoutes(app: FastifyInstance, { console, cluster, tls, version }: AppDeps): void {
  const common = { group: 'Console', scope: 'admin', stepUp: 'none' } as const;
  /** The access of every session. */
  const ownSession = { ...common, scope: 'any' } as const;
  const isSecure = ({ headers: { origin } }: FastifyRequest): boolean =>
    tls !== undefined || origin?.startsWith('https:') === true;
  const setCookie = (request: FastifyRequest, reply: FastifyReply, id: string, value?: string): void => {
    const place = { host: request.headers.host, isSecure: isSecure(request) };
    reply.header('set-cookie', sessionCookie(id, value, place));
  };
  const ofNode = cluster === undefined ? {} : { node: cluster.identity.name };
  const shown = (session: ConsoleSession): OwnConsoleSession => ({
    ...sessionOf(session),
    actor: session.rights.actor,
    unlockedUntil: isoOrNull(session.unlockedUntil),
    version,
    ...ofNode,
  });

  defineRoute(app, {
    method: 'POST',
    url: '/console/codes',
    ...common,
    id: 'createConsoleCode',
    summary: 'Create a one-time code',
    description:
      'A code to open a session (`sign-in`), or to confirm one decision of a session, or to unlock it (`confirm`). Valid for 60 seconds and once. Only for the first key, which is in the data directory; never for a session. The code is recorded by its digest.',
    body: z.strictObject({
      purpose: z.enum(['sign-in', 'confirm']),
      readOnly: z
        .boolean()
        .exactOptional()
        .describe(`\`true\`: the session only ever reads. Its scopes are ${readingScopes.join(', ')}.`),
      decision: z
        .string()
        .min(1)
        .max(decisionCharactersMax)
        .superRefine((decision, context) => {
          const flaw = decisionFlaw(decision);
          if (flaw !== undefined)
            context.addIssue(`no code is issued for this decision: ${flaw}; copy it as the console shows it`);
        })
        .exactOptional()
        .describe(
          'The only decision that the code confirms: the last part of its route, what it is about, and every other field of the request, such as `approve acme:pdf-forms@sha256:…@1f0c6a9d2b7e4c55 tier=local` or `revoke publisher:acme`. The refusal of a request without a code has it. Absent: the code unlocks a session, and confirms no decision.',
        ),
    }),
    bodyExample: { purpose: 'sign-in' },
    answers: { 200: json('The code.', ConsoleCode) },
    problems: ['ROUTE_NOT_FOUND'],
    async handle({ body: { purpose, readOnly = false, decision } }, request) {
      const { actor } = rightsOf(request);
      if (actor !== programActor.firstKey)
        throw new Refusal(
          'SCOPE_MISSING',
          `one-time codes are only for the first key of the daemon, and this is ${actor}; run "ambit console" as the user of the data directory`,
        );
      const scopes = readOnly ? readingScopes : (['admin'] as const);
      const { code, expiresAt } = await console.issue(purpose, actor, scopes, decision);
      return { code, expiresAt: iso(expiresAt) };
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/console/sessions',
    group: 'Console',
    scope: 'open',
    id: 'openConsoleSession',
    summary: 'Sign in',
    description:
      'Opens a session with a one-time code. The session has two halves: the cookie of this response, and `half`. A request needs both, and no key.',
    body: Code,
    answers: {
      200: json('The session.', OpenedConsoleSession, {
        headers: {
          'set-cookie': 'The first half: `ambit-console-PORT-ID`, for this site and not for scripts.',
        },
      }),
    },
    problems: ['ROUTE_NOT_FOUND', 'CODE_INVALID'],
    async handle({ body: { code } }, request, reply) {
      checkSameOrigin(request.headers['sec-fetch-site']);
      const opened = await console.open(code);
      if (opened === undefined)
        throw new Refusal(
          'CODE_INVALID',
          'the one-time code is unknown, used, expired or for another purpose; run "ambit console" for another one, which is valid for 60 seconds and once',
          { headers: { 'www-authenticate': 'Bearer realm="ambit"' } },
        );
      setCookie(request, reply, opened.session.id, opened.cookie);
      return { ...sessionOf(opened.session), half: opened.half };
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/console/session',
    ...ownSession,
    id: 'getConsoleSession',
    summary: 'Get your session',
    description: 'The session that sends the request.',
    answers: { 200: json('The session.', OwnConsoleSession) },
    problems: ['ROUTE_NOT_FOUND', 'SESSION_NOT_FOUND'],
    handle: async (_, request) => shown(own(request)),
  });

  defineRoute(app, {
    method: 'DELETE',
    url: '/console/session',
    ...ownSession,
    id: 'closeConsoleSession',
    summary: 'Sign out',
    description:
      'Ends the session that sends the request. Its streams end, and its running calls are canceled.',
    answers: { 204: bare('The session has ended.', { headers: { 'set-cookie': 'Removes the cookie.' } }) },
    problems: ['ROUTE_NOT_FOUND', 'SESSION_NOT_FOUND'],
    async handle(_, request, reply) {
      const { id, rights } = own(request);
      await console.end(id, 'signed out', rights.actor);
      setCookie(request, reply, id);
      return reply.code(204).send();
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/console/session/unlock',
    ...ownSession,
    id: 'unlockConsoleSession',
    summary: 'Unlock your session',
    description:
      'Lets the session run and cancel calls, and change workspaces, for 15 minutes. Needs a code of `ambit console confirm` without a decision. Decisions about installed skills need a code of their own each.',
    body: Code,
    answers: { 200: json('The session.', OwnConsoleSession) },
    problems: ['ROUTE_NOT_FOUND', 'SESSION_NOT_FOUND', 'CONFIRMATION_REQUIRED'],
    async handle({ body: { code } }, request) {
      const locked = own(request);
      if (!hasScope(locked.rights, 'skills:execute'))
        throw scopeMissing(request, locked.rights, 'skills:execute');
      const session = await console.unlock(locked, code);
      if (session === undefined) throw confirmationRequired();
      return shown(session);
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/console/sessions',
    ...common,
    id: 'listConsoleSessions',
    summary: 'List sessions',
    description:
      'The open sessions of the web console, oldest first. In a cluster, of all nodes that answer within a second.',
    answers: { 200: json('The sessions.', ConsoleSessions) },
    problems: ['ROUTE_NOT_FOUND'],
    async handle(_, request) {
      const own = console.list().map(({ id, rights: { actor, scopes }, lastUsedAt, ...session }) => ({
        id,
        actor,
        scopes: [...scopes],
        createdAt: iso(session.createdAt),
        lastUsedAt: iso(lastUsedAt),
        expiresAt: iso(session.expiresAt),
        unlockedUntil: isoOrNull(session.unlockedUntil),
        ...ofNode,
      }));
      if (cluster === undefined) return { sessions: own };
      const others = await askNodes(cluster, request, '/console/sessions', ConsoleSessions);
      const all = [own, ...[...others.values()].map(({ sessions }) => sessions)].flat();
      return { sessions: all.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1)) };
    },
  });

  defineRoute(app, {
    method: 'DELETE',
    url: '/console/sessions/:id',
    ...common,
    id: 'revokeConsoleSession',
    summary: 'Revoke a session',
    description: 'Ends a session. Its streams end, and its running calls are canceled.',
    params: z.strictObject({ id: z.string().describe("The session's id.") }),
    answers: { 204: bare('The session has ended.') },
    problems: ['SESSION_NOT_FOUND', 'NODE_UNREACHABLE'],
    async handle({ params: { id } }, request, reply) {
      if (!(await console.end(id, 'revoked', rightsOf(request).actor)))
        throw new Refusal(
          'SESSION_NOT_FOUND',
          `the console has no open session ${JSON.stringify(id.slice(0, 200))}; GET /console/sessions lists them`,
        );
      return reply.code(204).send();
    },
  });
}

function own({ session, actor }: FastifyRequest): ConsoleSession {
  if (session !== null) return session;
  throw new Refusal(
    'SESSION_NOT_FOUND',
    `this route is about the session that sends the request, and ${actor} is a key; GET /console/sessions lists the sessions`,
  );
}

function sessionOf({ id, createdAt, expiresAt, rights }: ConsoleSession) {
  const times = { createdAt: iso(createdAt), expiresAt: iso(expiresAt), idleSeconds: idleMs / 1000 };
  return { id, ...times, scopes: [...rights.scopes] };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}

function isoOrNull(time: number | null): string | null {
  return time === null ? null : iso(time);
}
