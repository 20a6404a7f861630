import type { IncomingMessage } from 'node:http';
import type { Actor } from '@ambit/core/audit';

/** The node that passed on a request, and the caller that it checked. */
export interface PeerCaller {
  node: number;
  actor: Actor;
}

const callers = new WeakMap<IncomingMessage, PeerCaller>();

/** Notes who passed on a request. Only the listener for nodes does this, after checking the node's certificate. */
export function notePeer(request: IncomingMessage, caller: PeerCaller): void {
  callers.set(request, caller);
}

/** Returns the node that passed on a request; `undefined` for a request that came from its caller. */
export function peerOf(request: IncomingMessage): PeerCaller | undefined {
  return callers.get(request);
}

/** The header of an answer to a node that is not in the list of nodes. */
export const unknownPeerHeader = 'ambit-unknown-peer';

/** The header in which a node names the caller to another node. */
export const callerHeader = 'ambit-caller';
