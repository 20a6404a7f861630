import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../problem/refusal.ts';
import { pathOf } from '../request-state.ts';

interface KnownRoute {
  method: string;
  /** `/skills/:id`. */
  pattern: string;
}

/** Keeps what routes `app` gets from here on, and says of a request that fits none of them what there is instead. */
export function knownRoutes(app: FastifyInstance): { noSuchRoute(request: FastifyRequest): Refusal } {
  const routes: KnownRoute[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    routes.push(...[method].flat().map((each) => ({ method: each, pattern: url })));
  });
  return {
    noSuchRoute(request) {
      const { method } = request;
      const path = pathOf(request);
      const here = routes.filter(({ pattern }) => fits(pattern, routedPath(request)));
      if (here.length === 0) return notFound(method, path, near(routes, path));
      const allowed = here.map((route) => route.method).join(', ');
      return new Refusal('METHOD_NOT_ALLOWED', `${path.slice(0, 200)} has no ${method}; it has ${allowed}`, {
        headers: { allow: allowed },
      });
    },
  };
}

/** Unlike the path that was asked for, this one can be decoded. */
function routedPath({ url }: FastifyRequest): string {
  return url.split('?', 1)[0] ?? '';
}

function notFound(method: string, path: string, instead: readonly KnownRoute[]): Refusal {
  const list = instead.map((route) => `${route.method} ${route.pattern}`).join(', ');
  return new Refusal('ROUTE_NOT_FOUND', `there is no ${method} ${path.slice(0, 200)}; there is ${list}`);
}

/** Those that begin in the same way, or else all. */
function near(routes: readonly KnownRoute[], path: string): readonly KnownRoute[] {
  const [, first] = path.split('/');
  // Where HEAD is, GET is.
  const told = routes.filter(({ method }) => method !== 'HEAD');
  const related = told.filter(({ pattern }) => pattern.split('/')[1] === first);
  return related.length > 0 ? related : told;
}

function fits(pattern: string, path: string): boolean {
  const [parts, given] = [pattern.split('/'), path.split('/')];
  // Only the last part can stand for any number of them.
  const isOpen = parts.at(-1) === '*';
  const wanted = isOpen ? parts.slice(0, -1) : parts;
  return (
    (isOpen ? wanted.length < given.length : wanted.length === given.length) &&
    wanted.every((part, index) => (part.startsWith(':') ? given[index] !== '' : part === given[index]))
  );
}
