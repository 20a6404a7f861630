import { once } from 'node:events';
import { type MessagePort, parentPort } from 'node:worker_threads';

/**
 * The data that `startThread` starts this thread with: its first message. No other message is lost if the
 * program listens for them without waiting for anything else.
 */
export async function threadStart<Start>(): Promise<Start> {
  const [start] = await once(parentPort as MessagePort, 'message');
  return start;
}
