import type { IncomingHttpHeaders } from 'node:http';
import { callerHeader } from './peer-caller.ts';

/** The caller's key stays here, and what belongs to one connection is not passed on (RFC 9110, section 7.6.1). */
const ownHeaders = new Set([
  ...['authorization', 'host', 'connection', 'keep-alive', 'proxy-authorization', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'expect', callerHeader],
  // A session of the web console is of this node alone.
  ...['cookie', 'ambit-session', 'ambit-background', 'ambit-confirmation'],
]);

/** The headers of a message that another connection also carries. */
export function passedHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).filter(
      (entry): entry is [string, string | string[]] => entry[1] !== undefined && !ownHeaders.has(entry[0]),
    ),
  );
}
