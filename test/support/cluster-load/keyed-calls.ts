import { setTimeout as delay } from 'node:timers/promises';
import { type History, type KeyedAnswer, meaningOf } from './history.ts';

/** A node or a proxy, and how clients authenticate there. */
export interface Endpoint {
  /** For the history. */
  name: string;
  url: string;
  /** An API key. */
  key: string;
}

/** The call of an idempotency key. */
export interface KeyedCall {
  key: string;
  skill: string;
  input: unknown;
}

/** After a failed attempt, at most. */
const pauseMs = 250;

/** Sends a call once. */
export async function sendKeyed(
  { url, key: bearer }: Pick<Endpoint, 'url' | 'key'>,
  { key, skill, input }: KeyedCall,
  signal: AbortSignal | null = null,
): Promise<KeyedAnswer> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': key };
  const response = await fetch(`${url}/skills/${skill}/execute`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, ...headers },
    body: JSON.stringify({ input }),
    signal,
  });
  const isUnstored = response.headers.get('idempotency-stored') === 'false';
  return { status: response.status, text: await response.text(), isUnstored };
}

/** Sends a call once, and adds it to the history. Resolves to its response, or to `undefined` if the connection failed. */
export async function sendOnce(
  history: History,
  endpoint: Endpoint,
  call: KeyedCall,
  signal?: AbortSignal,
): Promise<KeyedAnswer | undefined> {
  const attempt = { key: call.key, via: endpoint.name, sentAt: history.now() };
  try {
    const response = await sendKeyed(endpoint, call, signal);
    history.add({ ...attempt, response });
    return response;
  } catch (error) {
    const cause = (error as Error).cause as Error | undefined;
    history.add({ ...attempt, failure: cause?.message ?? (error as Error).message });
    return undefined;
  }
}

/**
 * Sends a call again, under the same key, until it is answered: like `@ambit/client` after a failed connection or a refusal that
 * is temporary. `next` says where, for each attempt. Ends at `signal` without an answer.
 */
export async function sendUntilAnswered(
  history: History,
  next: () => Endpoint,
  call: KeyedCall,
  signal: AbortSignal,
): Promise<void> {
  for (let pause = 20; !signal.aborted; pause = Math.min(pauseMs, pause * 2)) {
    const response = await sendOnce(history, next(), call, signal);
    if (response !== undefined && meaningOf(response).is !== 'refused') return;
    await delay(pause, undefined, { signal }).catch(() => undefined);
  }
}
