import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { eventual } from '../jobs/eventual.ts';

export interface Drain {
  /** Resolves when no call is running. */
  settled(): Promise<unknown>;
  maxMs: number;
  /** Ends the wait. */
  cancelNow: AbortSignal;
}

/** Waits for running calls to end. Resolves to the reason why it stopped waiting; the caller cancels the rest. */
export async function drain({ settled, maxMs, cancelNow }: Drain): Promise<'settled' | 'late' | 'canceled'> {
  if (cancelNow.aborted) return 'canceled';
  const waiting = new AbortController();
  const { signal } = waiting;
  try {
    return await Promise.race([
      settled().then(() => 'settled' as const),
      delay(maxMs, 'late' as const, { signal }),
      once(cancelNow, 'abort', { signal }).then(() => 'canceled' as const),
    ]);
  } finally {
    waiting.abort();
  }
}

/** The open requests that may run calls. */
export interface OpenCalls {
  count(): number;
  /** Resolves when every admitted request is answered or its client has disconnected. */
  settled(): Promise<void>;
}

/** Counts the requests that shutdown waits for. Requests that only read are excluded: some of them never end. */
export function openCalls(app: FastifyInstance): OpenCalls {
  let open = 0;
  let whenSettled = eventual<void>();
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (request.method !== 'POST') return done(null, payload);
    open += 1;
    reply.raw.once('close', () => {
      open -= 1;
      if (open > 0) return;
      whenSettled.resolve();
      whenSettled = eventual();
    });
    done(null, payload);
  });
  return {
    count: () => open,
    settled: () => (open === 0 ? Promise.resolve() : whenSettled.promise()),
  };
}
