import { Gauge, Histogram, type Registry } from 'prom-client';

/** Counts HTTP requests. */
export interface RequestMetrics {
  /**
   * `route` is a pattern: `GET /skills/:id`; `undefined` if none matches. Returns a function to
   * call at the end of the request.
   */
  began(route: string | undefined): (end: { status: number; seconds: number }) => void;
}

/** In seconds. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export function requestMetrics(registry: Registry): RequestMetrics {
  const ended = new Histogram({
    name: 'ambit_http_request_seconds',
    help: 'Duration of requests by route and status; 499 is a client that disconnected.',
    labelNames: ['route', 'status'],
    buckets,
    registers: [registry],
  });
  const open = new Gauge({
    name: 'ambit_http_requests_open',
    help: 'Requests in progress, including streams: GET /audit/follow and GET /mcp.',
    labelNames: ['route'],
    registers: [registry],
  });
  return {
    began(route = '_none') {
      open.inc({ route });
      return ({ status, seconds }) => {
        open.dec({ route });
        ended.observe({ route, status }, seconds);
      };
    },
  };
}
