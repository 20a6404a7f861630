import type { IncomingMessage } from 'node:http';
import type { KeyRights } from '../../auth/key-rights.ts';

/** The rights of requests on the private socket. */
const callers = new WeakMap<IncomingMessage, KeyRights>();

/** Notes that a request arrived on the private socket. Only the server for that socket does this; nothing in a request can. */
export function noteLocal(request: IncomingMessage, rights: KeyRights): void {
  callers.set(request, rights);
}

/** The rights of a request on the private socket; `undefined` for any other request. */
export function localRightsOf(request: IncomingMessage): KeyRights | undefined {
  return callers.get(request);
}
