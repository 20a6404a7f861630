import type { FastifyInstance } from 'fastify';

/** The open requests that may run calls. */
export interface OpenCalls {
  count(): number;
  /** Resolves when every admitted request is answered or its client has disconnected. */
  settled(): Promise<void>;
}

/** Counts the requests that shutdown waits for. Requests that only read are excluded: some of them never end. */
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
