import { ConsoleSessions, consoleContracts, type OwnConsoleSession, readingScopes } from '@ambit/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasScope } from '../../../auth/key-rights.ts';
import { programActor } from '../../../auth/reserved-actors.ts';
import { type ConsoleSession, idleMs } from '../../../console/console-sessions.ts';
import { sessionCookie } from '../../../console/session-cookie.ts';
import { Refusal } from '../../../errors/refusal.ts';
import { listeningUrl } from '../../connections/listening-url.ts';
import { scopeMissing } from '../../request/admit.ts';
import { askNodes } from '../../request/ask-nodes.ts';
import { checkSameOrigin } from '../../request/check-host.ts';
import { confirmationRequired } from '../../request/console-session.ts';
import type { AppDeps } from '../../route/app-deps.ts';
import { consoleUrl, rightsOf } from '../../route/request-state.ts';
import { route } from '../../route/route.ts';

/**
 * One-time codes and sessions of the web console. The first key gets codes, because only who may read the data directory has
 * it. No session gets any.
 */
export function sessionRoutes(
  app: FastifyInstance,
  { console, consoleListener, cluster, tls, version }: AppDeps,
): void {
  const isSecure = ({ headers: { origin } }: FastifyRequest): boolean =>
    tls !== undefined || origin?.startsWith('https:') === true;
  const setCookie = (request: FastifyRequest, reply: FastifyReply, id: string, value?: string): void => {
    const place = { host: request.headers.host, isSecure: isSecure(request) };
    reply.header('set-cookie', sessionCookie(id, value, place));
  };
  const addressOf = async (): Promise<string | undefined> =>
    consoleListener === undefined ? listeningUrl(app.server) : consoleListener.open(app);
  const ofNode = cluster === undefined ? {} : { node: cluster.identity.name };
  const shown = (session: ConsoleSession): OwnConsoleSession => ({
    ...sessionOf(session),
    actor: session.rights.actor,
    unlockedUntil: isoOrNull(session.unlockedUntil),
    version,
    ...ofNode,
  });

  route(
    app,
    consoleContracts.createConsoleCode,
    async ({ body: { purpose, readOnly = false, decision } }, request) => {
      const { actor } = rightsOf(request);
      // On the private socket is the user of the data directory, who can read that key.
      if (actor !== programActor.firstKey && request.via !== 'cli')
        throw new Refusal(
          'SCOPE_MISSING',
          `one-time codes are only for the first key of the daemon, and this is ${actor}; run "ambit console" as the user of the data directory`,
        );
      const scopes = readOnly ? readingScopes : (['admin'] as const);
      // First, because a code without an address is of no use.
      const url = purpose === 'sign-in' ? await addressOf() : undefined;
      const { code, expiresAt } = await console.issue(purpose, actor, scopes, decision);
      const issued = { code, expiresAt: iso(expiresAt) };
      return url === undefined ? issued : { ...issued, url: `${url}${consoleUrl}/` };
    },
  );

  route(app, consoleContracts.openConsoleSession, async ({ body: { code } }, request, reply) => {
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
  });

  route(app, consoleContracts.getConsoleSession, async (_, request) => shown(own(request)));

  route(app, consoleContracts.closeConsoleSession, async (_, request, reply) => {
    const { id, rights } = own(request);
    await console.end(id, 'signed out', rights.actor);
    setCookie(request, reply, id);
    return reply.code(204).send();
  });

  route(app, consoleContracts.unlockConsoleSession, async ({ body: { code } }, request) => {
    const locked = own(request);
    if (!hasScope(locked.rights, 'skills:execute'))
      throw scopeMissing(request, locked.rights, 'skills:execute');
    const session = await console.unlock(locked, code);
    if (session === undefined) throw confirmationRequired();
    return shown(session);
  });

  route(app, consoleContracts.listConsoleSessions, async (_, request) => {
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
    const others = await askNodes(
      cluster,
      request,
      consoleContracts.listConsoleSessions.url,
      ConsoleSessions,
    );
    const all = [own, ...[...others.values()].map(({ sessions }) => sessions)].flat();
    return { sessions: all.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1)) };
  });

  route(app, consoleContracts.revokeConsoleSession, async ({ params: { id } }, request, reply) => {
    if (!(await console.end(id, 'revoked', rightsOf(request).actor)))
      throw new Refusal(
        'SESSION_NOT_FOUND',
        `the console has no open session ${JSON.stringify(id.slice(0, 200))}; GET /console/sessions lists them`,
      );
    return reply.code(204).send();
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
