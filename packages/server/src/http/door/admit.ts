import type { FastifyRequest } from 'fastify';
import type { AppDeps, Authenticated } from '../app-deps.ts';
import { Refusal } from '../problem/refusal.ts';
import { checkHost, checkOrigin } from './check-host.ts';

/** Whether a request may come in at all, whatever it asks for. Sets its actor; throws the `Refusal`. */
export function admit(deps: AppDeps, request: FastifyRequest): void {
  const { host, origin, authorization } = request.headers;
  checkHost(host, deps.hosts);
  checkOrigin(origin, host);
  if (request.routeOptions.config.open !== true)
    request.actor = requireActor(deps.authenticate(authorization));
  if (deps.shutdown.aborted) {
    throw new Refusal(
      'SHUTTING_DOWN',
      'Ambit is stopping and takes no new requests; try again when it has started again',
      {
        headers: { connection: 'close' },
      },
    );
  }
}

function requireActor(authenticated: Authenticated): string {
  switch (authenticated.status) {
    case 'accepted':
      return authenticated.actor;
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
        'the key is not the one of this server; the daemon says at its start where the key is',
        ', error="invalid_token"',
      );
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
