import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { LocalCaller } from '../auth/local-caller.ts';
import { endIdleConnections } from './connections/idle-connections.ts';
import { noteLocal } from './connections/local-requests.ts';
import { limitConnections, plainServerOptions } from './connections/server-options.ts';
import type { UnreadableRequests } from './request/unreadable-request.ts';
import type { AppDeps } from './route/app-deps.ts';

/**
 * The server of the private socket, not listening yet. It answers with the routes of `app`, under the same limits, and closes
 * with it. Its requests, and no others, have the identity of `caller`.
 */
export function privateServer(
  app: FastifyInstance,
  {
    caller,
    unreadable,
    ...deps
  }: Pick<AppDeps, 'bounds' | 'logger'> & {
    caller: LocalCaller;
    unreadable: Pick<UnreadableRequests, 'handle' | 'refuseUnasked'>;
  },
): Server {
  const { requestTimeout, ...options } = plainServerOptions(deps);
  const server = createServer(options, (request, response) => {
    noteLocal(request, caller.rights());
    app.routing(request, response);
  });
  // Set like this by Fastify too: as an option, Node refuses a value below the time for headers.
  server.requestTimeout = requestTimeout;
  server.on('clientError', (error, socket) => unreadable.handle(error, socket as Socket));
  server.on('connect', (request) => unreadable.refuseUnasked('CONNECT', request));
  server.on('checkExpectation', (request) => unreadable.refuseUnasked('EXPECT', request));
  limitConnections(server, deps);
  endIdleConnections(app, server);
  app.addHook('onClose', async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    await closed;
  });
  return server;
}
