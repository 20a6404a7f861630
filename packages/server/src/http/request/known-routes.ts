import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../../errors/refusal.ts';
import { pathOf } from '../route/request-state.ts';

interface KnownRoute {
  method: string;
  /** Such as `/skills/:id`. */
  pattern: string;
}

/**
 * Collects the routes that `app` gets from now on. Refuses a request that matches none of them and
 * lists the alternatives.
 */
export function knownRoutes(app: FastifyInstance): { noSuchRoute(request: FastifyRequest): Refusal } {
  const routes: KnownRoute[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    routes.push(...[method].flat().map((each) => ({ method: each, pattern: url })));
  });
  return {
    noSuchRoute(request) {
      const { method } = request;
      const path = pathOf(request);
      const matching = routes.filter(({ pattern }) => fits(pattern, routedPath(request)));
      if (matching.length === 0) return notFound(method, path, near(routes, path));
      const allowed = matching.map((route) => route.method).join(', ');
      return new Refusal(
        'METHOD_NOT_ALLOWED',
        `${path.slice(0, 200)} does not support ${method}; use ${allowed}`,
        {
          headers: { allow: allowed },
        },
      );
    },
  };
}

/** The raw path: unlike the requested path, it can be decoded. */
function routedPath({ url }: FastifyRequest): string {
  return url.split('?', 1)[0] ?? '';
}

function notFound(method: string, path: string, instead: readonly KnownRoute[]): Refusal {
  const list = instead.map((route) => `${route.method} ${route.pattern}`).join(', ');
  return new Refusal('ROUTE_NOT_FOUND', `${method} ${path.slice(0, 200)} does not exist; available: ${list}`);
}

/** Routes with the same first segment, or all routes if there are none. */
function near(routes: readonly KnownRoute[], path: string): readonly KnownRoute[] {
  const [, first] = path.split('/');
  // Every route with HEAD has GET.
  const listed = routes.filter(({ method }) => method !== 'HEAD');
  const related = listed.filter(({ pattern }) => pattern.split('/')[1] === first);
  return related.length > 0 ? related : listed;
}

function fits(pattern: string, path: string): boolean {
  const [parts, given] = [pattern.split('/'), path.split('/')];
  // A wildcard is always the last part.
  const isOpen = parts.at(-1) === '*';
  const wanted = isOpen ? parts.slice(0, -1) : parts;
  return (
    (isOpen ? wanted.length < given.length : wanted.length === given.length) &&
    wanted.every((part, index) => (part.startsWith(':') ? given[index] !== '' : part === given[index]))
  );
}
