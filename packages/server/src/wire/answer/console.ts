import { z } from 'zod';

const Time = z.string().describe('ISO 8601.');

/** A one-time code. */
export const ConsoleCode = z
  .strictObject({
    code: z.string().describe('256 random bits in base64url. Valid once.'),
    expiresAt: Time,
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
export const OpenedConsoleSession = z
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
