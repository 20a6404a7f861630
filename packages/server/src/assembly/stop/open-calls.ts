import type { FastifyInstance } from 'fastify';

/** The requests of an app that may run something. */
export interface OpenCalls {
  count(): number;
  /** Resolves when each that had been admitted has been answered, or its client is gone. */
  settled(): Promise<void>;
}

/**
 * Watches an app that does not listen yet for requests that a stop should let end. Those that only read, of which some
 * never end by themselves, are none.
 */
export function openCalls(app: FastifyInstance): OpenCalls {
  let open = 0;
  let whenSettled = Promise.withResolvers<void>();
  app.addHook('preParsing', async (request, reply) => {
    if (request.method !== 'POST') return;
    open += 1;
    reply.raw.once('close', () => {
      open -= 1;
      if (open > 0) return;
      whenSettled.resolve();
      whenSettled = Promise.withResolvers();
    });
  });
  return {
    count: () => open,
    settled: () => (open === 0 ? Promise.resolve() : whenSettled.promise),
  };
}
