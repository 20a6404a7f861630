import { contracts, type RouteScope } from '@ambit/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * Throws for every route that `app` gets from now on without a contract of its own, because its scope would be unknown. Call
 * the result once `app` has its routes: it throws if a contract has none.
 */
export function matchContracts(app: FastifyInstance): () => void {
  const missing = new Set(contracts);
  app.addHook('onRoute', ({ method, url, config }) => {
    const contract = config?.contract;
    if (contract === undefined || !missing.delete(contract))
      throw new Error(
        `${[method].flat().join(', ')} ${url} has no contract of its own in @ambit/api; add one to its list`,
      );
  });
  return () => {
    if (missing.size > 0)
      throw new Error(`no handler for ${[...missing].map(({ id }) => id).join(', ')}; add one with route`);
  };
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
