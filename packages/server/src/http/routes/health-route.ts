import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

const HealthAnswer = z.strictObject({ status: z.literal('ok') });

/**
 * `GET /healthz`: whether the daemon lives, for whoever would start it again, without a key. That it answers is the answer:
 * a disk that is full or a log that is gone is not mended by a new start, and `GET /readyz` tells of those.
 */
export function healthRoute(app: FastifyInstance): void {
  app.get('/healthz', async (): Promise<z.output<typeof HealthAnswer>> => ({ status: 'ok' }));
}
