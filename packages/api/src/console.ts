import { decisionFlaw } from '@ambit/core/inspect';
import { z } from 'zod';
import { bare, EntityHeaders, json, stream, tagged, unchanged } from './answer.ts';
import { defineContracts } from './contract.ts';
import type { Scope } from './scope.ts';

/** The scopes of a session that only ever reads. None of them lets it see what another node has only for its owner. */
export const readingScopes = [
  'skills:read',
  'prompt',
  'audit:read',
  'metrics',
] as const satisfies readonly Scope[];

/** A code for a longer decision is not issued, and the log stays readable. */
export const decisionCharactersMax = 16_384;

const Time = z.string().describe('ISO 8601.');

/** A one-time code. */
const ConsoleCode = z
  .strictObject({
    code: z.string().describe('256 random bits in base64url. Valid once.'),
    expiresAt: Time,
    url: z
      .string()
      .exactOptional()
      .describe('For `sign-in`: the address of the page to open, with `#code=` and the code added.'),
  })
  .meta({ id: 'ConsoleCode', description: 'A one-time code of the web console.' });

const session = {
  id: z.string(),
  createdAt: Time,
  expiresAt: Time,
  idleSeconds: z
    .number()
    .describe(
      'It also ends after so many seconds without use. Requests with the header `ambit-background` are no use.',
    ),
  scopes: z.array(z.string()).describe('As of a key.'),
};

/** A session that was just opened. */
const OpenedConsoleSession = z
  .strictObject({
    ...session,
    half: z
      .string()
      .describe('Send it in the header `ambit-session`, with the cookie that this response sets.'),
  })
  .meta({ id: 'OpenedConsoleSession', description: 'A new session of the web console.' });

const unlockedUntil = Time.nullable().describe('Until then it may run skills; `null`: it only reads.');

const node = z.string().exactOptional().describe('The node of the cluster that has the session.');

/** The session that a request belongs to. */
export const OwnConsoleSession = z
  .strictObject({
    ...session,
    actor: z.string().describe('Its name in the audit log: `console:` and the id.'),
    unlockedUntil,
    version: z.string().describe("The daemon's version."),
    node,
  })
  .meta({ id: 'OwnConsoleSession', description: 'The session of the web console that sent the request.' });
export type OwnConsoleSession = z.output<typeof OwnConsoleSession>;

/** An open session in a list. */
const ConsoleSessionSummary = z
  .strictObject({
    id: z.string(),
    actor: z.string().describe('Its name in the audit log.'),
    scopes: session.scopes,
    createdAt: Time,
    lastUsedAt: Time,
    expiresAt: Time,
    unlockedUntil,
    node,
  })
  .meta({ id: 'ConsoleSessionSummary', description: 'An open session of the web console.' });

/** The open sessions. */
export const ConsoleSessions = z.strictObject({ sessions: z.array(ConsoleSessionSummary) });

const Code = z.strictObject({ code: z.string().min(1).max(200).describe('A one-time code.') });

const common = { scope: 'admin', stepUp: 'none' } as const;
/** The access of every session. */
const ownSession = { scope: 'any', stepUp: 'none' } as const;

/** The web console: its page, its one-time codes and its sessions. */
export const consoleContracts = defineContracts('Console', {
  createConsoleCode: {
    method: 'POST',
    url: '/console/codes',
    ...common,
    summary: 'Create a one-time code',
    description:
      'A code to open a session (`sign-in`), or to confirm one decision of a session, or to unlock it (`confirm`). Valid for 60 seconds and once. Only for the user of the private socket and the first key, which is in the data directory; never for a session. The code is recorded by its digest. A daemon on demand has no address: a code to sign in opens one on loopback, until the last session has ended and no such code is valid.',
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
    problems: ['ROUTE_NOT_FOUND', 'ADDRESS_UNAVAILABLE'],
  },
  openConsoleSession: {
    method: 'POST',
    url: '/console/sessions',
    scope: 'open',
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
  },
  getConsoleSession: {
    method: 'GET',
    url: '/console/session',
    ...ownSession,
    summary: 'Get your session',
    description: 'The session that sends the request.',
    answers: { 200: json('The session.', OwnConsoleSession) },
    problems: ['ROUTE_NOT_FOUND', 'SESSION_NOT_FOUND'],
  },
  closeConsoleSession: {
    method: 'DELETE',
    url: '/console/session',
    ...ownSession,
    summary: 'Sign out',
    description:
      'Ends the session that sends the request. Its streams end, and its running calls are canceled.',
    answers: { 204: bare('The session has ended.', { headers: { 'set-cookie': 'Removes the cookie.' } }) },
    problems: ['ROUTE_NOT_FOUND', 'SESSION_NOT_FOUND'],
  },
  unlockConsoleSession: {
    method: 'POST',
    url: '/console/session/unlock',
    ...ownSession,
    summary: 'Unlock your session',
    description:
      'Lets the session run and cancel calls, and change workspaces, for 15 minutes. Needs a code of `ambit console confirm` without a decision. Decisions about installed skills need a code of their own each.',
    body: Code,
    answers: { 200: json('The session.', OwnConsoleSession) },
    problems: ['ROUTE_NOT_FOUND', 'SESSION_NOT_FOUND', 'CONFIRMATION_REQUIRED'],
  },
  listConsoleSessions: {
    method: 'GET',
    url: '/console/sessions',
    ...common,
    summary: 'List sessions',
    description:
      'The open sessions of the web console, oldest first. In a cluster, of all nodes that answer within a second.',
    answers: { 200: json('The sessions.', ConsoleSessions) },
    problems: ['ROUTE_NOT_FOUND'],
  },
  revokeConsoleSession: {
    method: 'DELETE',
    url: '/console/sessions/:id',
    ...common,
    summary: 'Revoke a session',
    description: 'Ends a session. Its streams end, and its running calls are canceled.',
    params: z.strictObject({ id: z.string().describe("The session's id.") }),
    answers: { 204: bare('The session has ended.') },
    problems: ['SESSION_NOT_FOUND', 'NODE_UNREACHABLE'],
  },
  getConsole: {
    method: 'GET',
    url: '/console/*',
    head: true,
    query: 'anything',
    scope: 'open',
    summary: 'Open the console',
    description:
      'The page of the web console, for each of its views. Below `assets/`, its scripts and its style, which never change under their name.',
    params: z.strictObject({
      path: z.string().describe('A view, or a file in `assets/`. Empty: the first view.'),
    }),
    headers: EntityHeaders,
    answers: {
      200: stream(
        'The page, or the file.',
        {
          'text/html': { description: 'The page.' },
          'text/javascript': { description: 'A script.' },
          'text/css': { description: 'A style.' },
          'image/svg+xml': { description: 'An image.' },
        },
        tagged,
      ),
      304: unchanged,
      308: bare('`/console` has moved.', { headers: { location: '`/console/`.' } }),
    },
    problems: ['CONSOLE_UNAVAILABLE', 'FILE_NOT_FOUND'],
  },
});
