import {
  LOG_LEVEL_META_KEY,
  type LoggingLevel,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';

/** Those at which a client hears what skills log, which is `info`. */
const levelsOfInfo: readonly LoggingLevel[] = ['debug', 'info'];

/**
 * Whether the client that a request comes from has asked to be told what skills log: by a level in the request itself, in the
 * protocol of 2026-07-28, or by `logging/setLevel` in a session of 2025. Nobody who has not is told.
 */
export function heardLog({ server }: McpServer): (ctx: ServerContext) => boolean {
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
