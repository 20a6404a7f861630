import type { FastifyInstance } from 'fastify';
import type { AppDeps, Health } from '../app-deps.ts';

/** `GET /healthz`: for whoever watches the daemon, without a key. 200, or 503 when it cannot do its work. */
export function healthRoute(app: FastifyInstance, { health }: AppDeps): void {
  app.get('/healthz', async (_, reply): Promise<Health> => {
    const answer = await health();
    reply.code(answer.status === 'ok' ? 200 : 503);
    return answer;
  });
}
