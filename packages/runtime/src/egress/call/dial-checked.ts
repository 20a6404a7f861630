import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Dial } from './checked-addresses.ts';

/** The time before the next address is tried, in milliseconds. */
const attemptMs = 3000;

/** A connection to the first of `addresses` that answers. Throws the last error. */
export async function dialChecked(
  dial: Dial,
  addresses: readonly string[],
  port: number,
  signal: AbortSignal,
): Promise<Socket> {
  let failure: unknown;
  for (const [index, address] of addresses.entries()) {
    const last = index === addresses.length - 1;
    try {
      return await connected(
        dial(address.replace(/^\[|\]$/g, ''), port),
        last ? signal : withinAttempt(signal),
      );
    } catch (error) {
      signal.throwIfAborted();
      failure = error;
    }
  }
  throw failure;
}

function withinAttempt(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(attemptMs)]);
}

async function connected(socket: Socket, signal: AbortSignal): Promise<Socket> {
  try {
    await once(socket, 'connect', { signal });
  } catch (error) {
    socket.on('error', () => undefined).destroy();
    throw error;
  }
  return socket.setNoDelay(true);
}
