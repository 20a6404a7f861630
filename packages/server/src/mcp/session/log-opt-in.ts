import {
  LOG_LEVEL_META_KEY,
  type LoggingLevel,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';

/** The levels that include `info`, the level of skills' logs. */
const levelsOfInfo: readonly LoggingLevel[] = ['debug', 'info'];

/**
 * Whether the client of a request has asked for skills' logs: with a level in the request itself
 * (version 2026-07-28), or with `logging/setLevel` (sessions of 2025). Other clients get none.
 */
export function logOptIn({ server }: McpServer): (ctx: ServerContext) => boolean {
  let inSession: LoggingLevel | undefined;
  server.setRequestHandler('logging/setLevel', ({ params }) => {
    inSession = params.level;
    return {};
  });
  return ({ mcpReq: { envelope } }) => {
    const inRequest: Readonly<Record<string, unknown>> | undefined = envelope;
    const level = inRequest === undefined ? inSession : inRequest[LOG_LEVEL_META_KEY];
    return levelsOfInfo.some((each) => each === level);
  };
}
