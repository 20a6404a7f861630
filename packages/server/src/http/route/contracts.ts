import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RouteContract, RouteScope } from './define-route.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The contracts of its routes, in order. */
    contracts: readonly RouteContract[];
  }
}

/**
 * Collects the contract of every route that `app` gets from now on, in order. A route without a
 * contract throws, because its scope would be unknown.
 */
export function collectContracts(app: FastifyInstance): readonly RouteContract[] {
  const contracts: RouteContract[] = [];
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.contract === undefined)
      throw new Error(`${[method].flat().join(', ')} ${url} has no contract; add the route with defineRoute`);
    contracts.push(config.contract);
  });
  return contracts;
}

/**
 * The scope that the request's route needs. `undefined` if there is no such route: any valid key
 * may learn that.
 */
export function scopeFor({ routeOptions, is404 }: FastifyRequest): RouteScope | undefined {
  if (is404) return undefined;
  const scope = routeOptions.config.contract?.scope;
  if (scope === undefined) throw new Error(`${routeOptions.url} has no contract`);
  return scope;
}
