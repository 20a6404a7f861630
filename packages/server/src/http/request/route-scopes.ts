import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Scope } from '../../auth/scope.ts';
import type { RouteContract } from '../route/define-route.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** What its routes promise, in their order. */
    contracts: readonly RouteContract[];
  }
}

/**
 * Keeps the contract of every route that `app` gets from here on, in their order, and has it refuse a route without one:
 * nobody would know who may use it.
 */
export function collectContracts(app: FastifyInstance): readonly RouteContract[] {
  const contracts: RouteContract[] = [];
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.contract === undefined)
      throw new Error(`${[method].flat().join(', ')} ${url} has no contract: add it with defineRoute`);
    contracts.push(config.contract);
  });
  return contracts;
}

/** What a request's route needs; `undefined` where there is no such route, which takes any key to be told. */
export function scopeFor({ routeOptions, is404 }: FastifyRequest): Scope | 'open' | undefined {
  if (is404) return undefined;
  const scope = routeOptions.config.contract?.scope;
  if (scope === undefined) throw new Error(`${routeOptions.url} has no contract`);
  return scope;
}
