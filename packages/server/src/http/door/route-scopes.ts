import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Scope } from '../../auth/scope.ts';

/**
 * What a key needs for each route; `open` ones answer anybody. The one table: an app with a route that is not in it is not
 * built.
 */
export const routeScopes: Readonly<Record<string, Scope | 'open'>> = {
  'GET /healthz': 'open',
  'GET /readyz': 'open',
  'GET /skills': 'skills:read',
  'GET /skills/:id': 'skills:read',
  'POST /skills/:id/execute': 'skills:execute',
  'POST /chain': 'skills:execute',
  'POST /batch': 'skills:execute',
  'POST /workspaces': 'skills:execute',
  'GET /workspaces': 'skills:execute',
  'GET /workspaces/:id': 'skills:execute',
  'DELETE /workspaces/:id': 'skills:execute',
  'GET /workspaces/:id/files/*': 'skills:execute',
  'PUT /workspaces/:id/files/*': 'skills:execute',
  'DELETE /workspaces/:id/files/*': 'skills:execute',
  'POST /prompt': 'prompt',
  // What a tool needs beyond reading is looked at where it is called.
  'POST /mcp': 'skills:read',
  'GET /mcp': 'skills:read',
  'DELETE /mcp': 'skills:read',
  'GET /audit': 'audit:read',
  'GET /audit/count': 'audit:read',
  'GET /audit/stats': 'audit:read',
  'GET /audit/export': 'audit:read',
  'GET /audit/follow': 'audit:read',
  'GET /audit/verify': 'audit:read',
  'GET /audit/:executionId': 'audit:read',
  'GET /audit/:executionId/receipt': 'audit:read',
};

/** Has `app` refuse every route, from here on, that the table does not have. */
export function requireScopes(app: FastifyInstance): void {
  app.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat())
      if (!Object.hasOwn(routeScopes, `${each} ${url}`))
        throw new Error(`${each} ${url} has no row in routeScopes: write there which scope it needs`);
  });
}

/** What a request's route needs; `undefined` where there is no such route, which takes any key to be told. */
export function scopeFor({ method, routeOptions, is404 }: FastifyRequest): Scope | 'open' | undefined {
  return is404 ? undefined : routeScopes[`${method} ${routeOptions.url}`];
}
