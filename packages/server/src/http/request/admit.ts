import type { FastifyRequest } from 'fastify';
import { hasScope, type KeyRights } from '../../auth/key-rights.ts';
import type { AppDeps } from '../app-deps.ts';
import { Refusal, shuttingDown } from '../problem/refusal.ts';
import { methodAndPath } from '../request-state.ts';
import { checkHost, checkOneHost, checkOrigin } from './check-host.ts';
import { scopeFor } from './route-scopes.ts';

/**
 * Whether a request may come in at all, whatever is in it, and whether its key is good for the route. Sets its actor and
 * its rights; throws the `Refusal`.
 */
export function admit(deps: AppDeps, request: FastifyRequest): void {
  const { host, origin } = request.headers;
  checkOneHost(request.raw.rawHeaders);
  checkHost(host, deps.hosts);
  checkOrigin(origin, host);
  const scope = scopeFor(request);
  if (scope !== 'open') {
    const rights = requireKey(deps, request);
    request.rights = rights;
    request.actor = rights.actor;
    if (scope !== undefined && !hasScope(rights, scope)) throw scopeMissing(request, rights, scope);
  }
  // Whoever watches it hears of a stop from the answer.
  if (scope !== 'open' && deps.draining.aborted) throw shuttingDown();
}

function requireKey(deps: AppDeps, request: FastifyRequest): KeyRights {
  const authenticated = deps.authenticate(request.headers.authorization);
  // Also of a key that is not good any more: the log says whose it was.
  if ('actor' in authenticated) request.actor = authenticated.actor;
  switch (authenticated.status) {
    case 'accepted':
      return authenticated.rights;
    case 'missing':
      throw unauthenticated(
        'this needs the key: send the header "Authorization: Bearer KEY"; the daemon says at its start where the key is',
        '',
      );
    case 'malformed':
      throw unauthenticated(
        'the Authorization header is not of the form "Bearer KEY"',
        ', error="invalid_request"',
      );
    case 'wrong':
      throw unauthenticated(
        'the key is not the one of this server, nor another that was made for it; the daemon says at its start where its first key is, and "ambit key create" makes others',
        ', error="invalid_token"',
      );
    case 'expired':
    case 'revoked':
      throw unauthenticated(
        `the key ${authenticated.actor} ${authenticated.status === 'expired' ? 'expired' : 'was revoked'} on ${authenticated.since}; whoever runs this server makes another with "ambit key create"`,
        ', error="invalid_token"',
      );
    case 'limited': {
      const seconds = Math.ceil(authenticated.retryAfterMs / 1000);
      throw new Refusal(
        'RATE_LIMITED',
        `the key ${authenticated.actor} has used up its requests for now; try again in ${seconds} s`,
        { headers: { 'retry-after': String(seconds) } },
      );
    }
    default:
      return authenticated satisfies never;
  }
}

/** The challenge is RFC 6750's, section 3. */
function unauthenticated(message: string, error: string): Refusal {
  return new Refusal('UNAUTHENTICATED', message, {
    headers: { 'www-authenticate': `Bearer realm="ambit"${error}` },
  });
}

function scopeMissing(request: FastifyRequest, { actor, scopes }: KeyRights, scope: string): Refusal {
  return new Refusal(
    'SCOPE_MISSING',
    `${methodAndPath(request).slice(0, 200)} needs the scope ${scope}, and the key ${actor} has ${scopes.join(', ')}; use another key, or have one made with "ambit key create NAME --scope ${scope}"`,
    { headers: { 'www-authenticate': `Bearer realm="ambit", error="insufficient_scope", scope="${scope}"` } },
  );
}
