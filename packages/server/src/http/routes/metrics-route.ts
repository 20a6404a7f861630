import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { AppDeps } from '../app-deps.ts';
import { parseRequest } from '../door/parse-request.ts';
import { rightsOf } from '../request-state.ts';
import { boundToSkills } from './audit-bounds.ts';

const MetricsQuery = z.strictObject({});
const MetricsAnswer = z.string();

/** `GET /metrics`: what is measured of the daemon, as Prometheus reads it; in OpenMetrics 1.0 for an `Accept` that names it. */
export function metricsRoute(app: FastifyInstance, { scrape }: AppDeps): void {
  app.get('/metrics', async (request, reply): Promise<z.output<typeof MetricsAnswer>> => {
    parseRequest(MetricsQuery, request.query);
    if (rightsOf(request).skills !== undefined)
      throw boundToSkills(request, 'the figures of one of them: GET /audit/stats?skill=…', 'all skills');
    const { contentType, body } = await scrape(request.headers.accept);
    reply.type(contentType);
    return body;
  });
}
