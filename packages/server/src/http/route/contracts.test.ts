import { callContracts, contracts, daemonContracts } from '@ambit/api';
import { fastify } from 'fastify';
import { expect, test } from 'vitest';
import { matchContracts } from './contracts.ts';
import { route } from './route.ts';

const handle = async () => {
  throw new Error('no request is made');
};

test('an app with a handler for each contract is built', () => {
  const app = fastify({ exposeHeadRoutes: false });
  const requireHandlers = matchContracts(app);
  for (const contract of contracts) route(app, contract, handle);
  expect(requireHandlers).not.toThrow();
});

test('an app without a handler for a contract is not built, and the message names the contract', () => {
  const app = fastify({ exposeHeadRoutes: false });
  const requireHandlers = matchContracts(app);
  const missing = new Set([callContracts.executeBatch.id, daemonContracts.getHealth.id]);
  for (const contract of contracts.filter(({ id }) => !missing.has(id))) route(app, contract, handle);
  expect(requireHandlers).toThrow('no handler for executeBatch, getHealth; add one with route');
});

test('a handler of a contract that is not in the list is refused by name', () => {
  const app = fastify({ exposeHeadRoutes: false });
  matchContracts(app);
  expect(() => route(app, { ...daemonContracts.getHealth, url: '/new' }, handle)).toThrow(
    'GET /new has no contract of its own in @ambit/api; add one to its list',
  );
});

test('the types of a handler follow its contract', () => {
  const app = fastify({ exposeHeadRoutes: false });
  route(app, daemonContracts.getHealth, async () => ({ status: 'ok' as const }));
  // @ts-expect-error: the answer of getReadiness has other fields
  route(app, daemonContracts.getReadiness, async () => ({ status: 'ok' as const }));
  // @ts-expect-error: executeBatch has no path parameters
  route(app, callContracts.executeBatch, async ({ params: { id } }, _, reply) => reply.send(id));
  // @ts-expect-error: a handler needs a whole contract
  expect(() => route(app, { method: 'GET', url: '/other' }, handle)).not.toThrow();
});
