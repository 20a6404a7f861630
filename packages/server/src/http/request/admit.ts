import { thrownText } from '@ambit/core/outcome';
import type { FastifyRequest } from 'fastify';
import { type Authentication, hasScope, type KeyRights } from '../../auth/key-rights.ts';
import { peerOf } from '../../cluster/peers/peer-caller.ts';
import type { ConsoleSession } from '../../console/console-sessions.ts';
import { Refusal } from '../../errors/refusal.ts';
import { localRightsOf } from '../connections/local-requests.ts';
import { shuttingDown } from '../problem/refusal.ts';
import type { AppDeps } from '../route/app-deps.ts';
import { scopeFor } from '../route/contracts.ts';
import { methodAndPath } from '../route/request-state.ts';
import { checkHost, checkOneHost, checkOrigin } from './check-host.ts';
import { requireConsole, requireStepUp, sessionOf } from './console-session.ts';
import { unauthenticated } from './unauthenticated.ts';

/**
 * Checks the request's host, origin, key or session, and scope. Sets its actor and rights; throws a `Refusal`. Returns a
 * promise, which rejects with one, only if the key's rate has to be asked for.
 */
export function admit(deps: AppDeps, request: FastifyRequest): Promise<void> | undefined {
  const { host, origin } = request.headers;
  const peer = peerOf(request.raw);
  const local = localCallerOf(request);
  if (local !== undefined) {
    request.via = 'cli';
    request.actor = local.actor;
  }
  // Another node has checked what it passes on, and connects to this one by its certificate.
  if (peer === undefined) {
    checkOneHost(request.raw.rawHeaders);
    checkHost(host, deps.hosts);
    checkOrigin(origin, host);
  }
  const scope = scopeFor(request);
  requireConsole(deps, request);
  if (scope === 'open') return;
  if (local !== undefined) return admitRights(deps, request, scope, local);
  const session = peer === undefined ? sessionOf(deps, request) : undefined;
  if (session !== undefined) return admitSession(deps, request, scope, session);
  if (deps.consoleListener !== undefined && peer === undefined && localRightsOf(request.raw) === undefined)
    throw consoleOnly();
  const authenticated =
    peer === undefined || deps.cluster === undefined
      ? deps.authenticate(request.headers.authorization)
      : deps.cluster.rightsOf(peer);
  if (authenticated.status !== 'borrowing') return admitKey(deps, request, scope, authenticated);
  request.actor = authenticated.actor;
  return authenticated.settled.then((settled) => admitKey(deps, request, scope, settled));
}

/** The rights of a request on the private socket, unless it names a key, which may have fewer. */
function localCallerOf({ raw }: FastifyRequest): KeyRights | undefined {
  return raw.headers.authorization === undefined ? localRightsOf(raw) : undefined;
}

/** Refuses a request without a session at the address of a daemon on demand. A key makes no difference there. */
function consoleOnly(): Refusal {
  return new Refusal(
    'CONSOLE_ONLY',
    'this address is only for sessions of the web console, and accepts no keys: a command has started this daemon. Use the ambit command. For an address that accepts keys, run: ambit serve',
  );
}

function admitKey(
  deps: AppDeps,
  request: FastifyRequest,
  scope: ReturnType<typeof scopeFor>,
  authenticated: Authentication,
): undefined {
  admitRights(deps, request, scope, requireKey(request, authenticated));
}

function admitRights(
  deps: AppDeps,
  request: FastifyRequest,
  scope: ReturnType<typeof scopeFor>,
  rights: KeyRights,
): undefined {
  request.rights = rights;
  request.actor = rights.actor;
  if (scope !== undefined && scope !== 'open' && scope !== 'any' && !hasScope(rights, scope))
    throw scopeMissing(request, rights, scope);
  // An observer learns about the shutdown from the response.
  if (deps.draining.aborted) throw shuttingDown();
  if (deps.cluster?.ended.aborted) throw noLongerNode(deps.cluster.ended.reason);
}

/** A retired node's decisions would be in force at the other nodes, and in no log of the cluster. */
function noLongerNode(reason: unknown): Refusal {
  return new Refusal(
    'LEASE_LOST',
    `this daemon is no longer a node of its cluster (${thrownText(reason)}). Send the request to another node`,
  );
}

function requireKey(request: FastifyRequest, authenticated: Authentication): KeyRights {
  // Also for an expired or revoked key: the log records whose it was.
  if ('actor' in authenticated) request.actor = authenticated.actor;
  switch (authenticated.status) {
    case 'accepted':
      return authenticated.rights;
    case 'missing':
      throw unauthenticated(
        'this route needs a key; send the header "Authorization: Bearer KEY". The daemon prints the path of its first key ("key file") when it starts',
        '',
      );
    case 'malformed':
      throw unauthenticated(
        'the Authorization header is malformed; send "Authorization: Bearer KEY"',
        ', error="invalid_request"',
      );
    case 'wrong':
      throw unauthenticated(
        'unknown API key. Use the key in the file "key" of the daemon\'s data directory, or ask the operator for a key',
        ', error="invalid_token"',
      );
    case 'expired':
    case 'revoked':
      throw unauthenticated(
        `the key ${authenticated.actor} ${authenticated.status === 'expired' ? 'expired' : 'was revoked'} on ${authenticated.since}; ask the operator for another`,
        ', error="invalid_token"',
      );
    case 'limited': {
      const seconds = Math.ceil(authenticated.retryAfterMs / 1000);
      throw new Refusal(
        'RATE_LIMITED',
        `the key ${authenticated.actor} exceeded its rate limit; try again in ${seconds} s`,
        { headers: { 'retry-after': String(seconds) } },
      );
    }
    default:
      return authenticated satisfies never;
  }
}

/** A session of the web console. What a person has to confirm comes last. */
function admitSession(
  deps: AppDeps,
  request: FastifyRequest,
  scope: ReturnType<typeof scopeFor>,
  session: ConsoleSession,
): undefined {
  request.session = session;
  admitRights(deps, request, scope, session.rights);
  const { contract } = request.routeOptions.config;
  if (contract !== undefined) requireStepUp(deps, request, contract, session);
}

/** The refusal of a key or session that lacks a scope. */
export function scopeMissing(request: FastifyRequest, { actor, scopes }: KeyRights, scope: string): Refusal {
  return new Refusal(
    'SCOPE_MISSING',
    request.session === null
      ? `${methodAndPath(request).slice(0, 200)} needs the scope ${scope}; the key ${actor} has ${scopes.join(', ')}. Use another key, or ask the operator for one with this scope`
      : `${methodAndPath(request).slice(0, 200)} needs the scope ${scope}, and the session ${actor} is read-only: it has ${scopes.join(', ')}. Sign in with "ambit console", without --read-only`,
    { headers: { 'www-authenticate': `Bearer realm="ambit", error="insufficient_scope", scope="${scope}"` } },
  );
}
