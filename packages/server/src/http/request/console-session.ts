import { confirmationHeader, decisionCharactersMax, type RouteContract, stepUpOf } from '@ambit/api';
import type { Confirmation } from '@ambit/core/audit';
import type { FastifyRequest } from 'fastify';
import type { ConsoleSession } from '../../console/console-sessions.ts';
import { backgroundHeader, halfHeader, sessionCookies } from '../../console/session-cookie.ts';
import { Refusal } from '../../errors/refusal.ts';
import { shellWord } from '../../trust/shell-word.ts';
import type { AppDeps } from '../route/app-deps.ts';
import { methodAndPath } from '../route/request-state.ts';
import { checkSameOrigin } from './check-host.ts';
import { unauthenticated } from './unauthenticated.ts';

type SessionDeps = Pick<AppDeps, 'console' | 'cluster'>;

/** Refuses requests about the web console while the configuration has it off. */
export function requireConsole(
  { console }: Pick<AppDeps, 'console'>,
  { routeOptions: { url = '' } }: FastifyRequest,
): void {
  if (console.isOn() || !url.startsWith('/console')) return;
  throw new Refusal(
    'ROUTE_NOT_FOUND',
    'the web console is off; to use it, remove "console: false" from the configuration and reload',
  );
}

/**
 * The session of a request from the console's page: its cookie and its second half. `undefined` for a request with a key, or
 * with neither. Throws `UNAUTHENTICATED` if one half is missing or belongs to no open session, and `SESSION_ELSEWHERE` if another
 * node has it.
 */
export function sessionOf(
  { console, cluster }: SessionDeps,
  request: FastifyRequest,
): ConsoleSession | undefined {
  const { authorization, cookie, host } = request.headers;
  if (authorization !== undefined) return undefined;
  const half = request.headers[halfHeader];
  const cookies = sessionCookies(cookie, host);
  if (half === undefined && cookies.length === 0) return undefined;
  checkSameOrigin(request.headers['sec-fetch-site']);
  const values = cookies.map(([, value]) => value);
  const found = console.find({
    cookies: values,
    half: typeof half === 'string' ? half : undefined,
    isBackground: request.headers[backgroundHeader] !== undefined,
  });
  switch (found.status) {
    case 'open':
      return found.session;
    case 'halved':
      request.actor = found.actor;
      throw unauthenticated(
        found.missing === 'half'
          ? `the cookie of the session ${found.actor} came without the second half, which only the console's page has; if you did not send this request, end the session with "ambit console revoke"`
          : `the second half of the session ${found.actor} came without its cookie; open the console again with "ambit console"`,
        ', error="invalid_token"',
      );
    case 'unknown':
      if (half !== undefined && cookies.some(([id]) => cluster?.ownerOf(id) !== undefined))
        throw new Refusal(
          'SESSION_ELSEWHERE',
          'another node of the cluster has this session of the console; open the console at the address of one node, and not through a load balancer',
        );
      throw unauthenticated(
        'the session of the console has ended: it was signed out or revoked, was idle for 30 minutes or is older than 8 hours, or the daemon restarted. Open the console again with "ambit console"',
        ', error="invalid_token"',
      );
    default:
      return found satisfies never;
  }
}

/**
 * Requires what a person at a terminal has to confirm for a request of a session. Throws `CONFIRMATION_REQUIRED` if the
 * session has to be unlocked. A decision is confirmed once it is parsed: then `request.confirm` knows its object.
 */
export function requireStepUp(
  { console }: Pick<AppDeps, 'console'>,
  request: FastifyRequest,
  contract: RouteContract,
  session: ConsoleSession,
): void {
  const stepUp = stepUpOf(contract);
  switch (stepUp) {
    case 'none':
      return;
    case 'unlock':
      if (console.isUnlocked(session)) return;
      throw confirmationRequired(
        `${methodAndPath(request).slice(0, 200)} needs an unlocked session of the console; run "ambit console confirm" in a terminal and give its code to the page, which sends it to POST /console/session/unlock`,
      );
    case 'confirm':
      request.confirm = (decision) => confirmed(console, request, decision);
      return;
    default:
      stepUp satisfies never;
  }
}

/** The confirmation of one decision. A code is used up by its first use, also for another decision. */
function confirmed(console: AppDeps['console'], request: FastifyRequest, decision: string): Confirmation {
  const code = request.headers[confirmationHeader];
  if (decision.length > decisionCharactersMax)
    throw confirmationRequired(
      `the decision names too much for one code, which confirms at most ${decisionCharactersMax} characters; decide about fewer skills at a time`,
    );
  const confirmation = typeof code === 'string' ? console.confirm(code, decision) : undefined;
  if (confirmation !== undefined) return confirmation;
  const command = `ambit console confirm ${decisionWords(decision)}`;
  throw confirmationRequired(
    code === undefined
      ? `${methodAndPath(request).slice(0, 200)} needs a code of its own, which the page sends in the header ${confirmationHeader}; for a code, run in a terminal: ${command}`
      : `the code is unknown, used, expired or for something else; for another one, which is valid for 60 seconds and once, run in a terminal: ${command}`,
  );
}

/** A decision as words for a shell. */
function decisionWords(decision: string): string {
  return /^[\w:./#+=,@ -]+$/.test(decision) ? decision : shellWord(decision);
}

const codeRefused =
  'the code is unknown, used, expired or for something else; run "ambit console confirm" in a terminal for another one, which is valid for 60 seconds and once';

/** The refusal of a code that does not confirm. */
export function confirmationRequired(message: string = codeRefused): Refusal {
  return new Refusal('CONFIRMATION_REQUIRED', message);
}
