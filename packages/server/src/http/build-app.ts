import type { IncomingMessage, Server } from 'node:http';
import { type FastifyInstance, type FastifyRequest, fastify, LogController } from 'fastify';
import { type AccessScope, currentAccess } from '../auth/access/access-scope.ts';
import { endIdleConnections } from './connections/idle-connections.ts';
import { limitConnections, serverOptions } from './connections/server-options.ts';
import { boundUnreadAnswers } from './connections/unread-answers.ts';
import { privateServer } from './private-server.ts';
import { acceptBytes, acceptJson } from './request/accept-bodies.ts';
import { admit } from './request/admit.ts';
import { answerRefusal } from './request/answer-refusal.ts';
import { watchArrivingBodies } from './request/arriving-bodies.ts';
import { knownRoutes } from './request/known-routes.ts';
import { passOnRequests } from './request/pass-on.ts';
import { logRequests, observeRequests } from './request/request-log.ts';
import { unreadableRequests } from './request/unreadable-request.ts';
import type { AppDeps } from './route/app-deps.ts';
import { matchContracts } from './route/contracts.ts';
import { type AccessFor, consoleUrl, decorateRequests, rightsOf } from './route/request-state.ts';
import { auditExportRoute } from './routes/audit/audit-export-route.ts';
import { auditFollowRoute } from './routes/audit/audit-follow-route.ts';
import { auditProofRoutes } from './routes/audit/audit-proof-routes.ts';
import { auditRoute } from './routes/audit/audit-route.ts';
import { auditTreeRoutes } from './routes/audit/audit-tree-routes.ts';
import { batchRoute } from './routes/calls/batch-route.ts';
import { chainRoute } from './routes/calls/chain-route.ts';
import { executeRoute } from './routes/calls/execute-route.ts';
import { executionRoutes } from './routes/calls/execution-routes.ts';
import { clusterRoutes } from './routes/cluster-routes.ts';
import { configurationRoutes } from './routes/configuration-routes.ts';
import { pageRoutes } from './routes/console/page-routes.ts';
import { sessionRoutes } from './routes/console/session-routes.ts';
import { healthRoute, readyRoute } from './routes/health-routes.ts';
import { installRoutes } from './routes/installs/install-routes.ts';
import { mcpRoute } from './routes/mcp-route.ts';
import { metricsRoute } from './routes/metrics-route.ts';
import { promptRoute } from './routes/prompt-route.ts';
import { referenceRoutes } from './routes/reference-routes.ts';
import { proposalRoute } from './routes/skills/proposal-route.ts';
import { skillContentRoutes } from './routes/skills/skill-content-routes.ts';
import { skillRoutes } from './routes/skills/skill-routes.ts';
import { toolRoute } from './routes/skills/tool-route.ts';
import { workspaceFileRoutes } from './routes/workspaces/workspace-file-routes.ts';
import { workspaceRoutes } from './routes/workspaces/workspace-routes.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The server of the private socket. */
    privateServer: Server;
    /** Closes the connections of `server`, each after its last response. For when it no longer listens. */
    endConnections(): void;
  }
}

/**
 * The HTTP transport, not listening yet. A request is checked in this order: `Host` and `Origin`,
 * the key and its scope, the route, the body. A refusal leaves one record in the audit log and is
 * answered with a problem.
 */
export function buildApp(deps: AppDeps): FastifyInstance {
  const unreadable = unreadableRequests(deps);
  const app = fastify({
    loggerInstance: deps.logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'executionId' }),
    genReqId: () => deps.newExecutionId(),
    bodyLimit: deps.bodyLimitBytes,
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    ...serverOptions(deps),
    exposeHeadRoutes: false,
    // A response that Node or Fastify sends itself would leave no record.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 16_384 },
    rewriteUrl: routableUrl,
    clientErrorHandler: unreadable.handle,
  });
  limitConnections(app.server, deps);
  app.decorate('endConnections', endIdleConnections(app));
  app.decorate('privateServer', privateServer(app, { ...deps, caller: deps.localCaller, unreadable }));
  app.server.on('connect', (request) => unreadable.refuseUnasked('CONNECT', request));
  app.server.on('checkExpectation', (request) => unreadable.refuseUnasked('EXPECT', request));
  decorateRequests(app);
  acceptJson(app, deps.json);
  acceptBytes(app);
  observeRequests(app, deps.observer);
  logRequests(app);
  boundUnreadAnswers(app, deps);
  app.setErrorHandler(answerRefusal(deps));

  const routes = knownRoutes(app);
  const requireHandlers = matchContracts(app);
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(everyAnswer);
    unreadable.began({ request: request.raw, response: reply.raw });
    const admitted = admit(deps, request);
    // Before the body is read: without a route, its content does not matter.
    const proceed = (): void => (request.is404 ? done(routes.noSuchRoute(request)) : done());
    if (admitted === undefined) proceed();
    else admitted.then(proceed, done);
  });
  if (deps.cluster !== undefined) passOnRequests(app, deps);
  app.addHook('onSend', (_request, reply, payload, done) => {
    // An open connection would delay shutdown.
    if (deps.draining.aborted) reply.header('connection', 'close');
    done(null, payload);
  });

  watchArrivingBodies(app, deps);

  const access = currentAccess(deps);
  // One configuration applies to a whole request.
  const scopes = new WeakMap<FastifyRequest, AccessScope>();
  const accessFor: AccessFor = (request) => {
    const made = scopes.get(request) ?? access(rightsOf(request));
    scopes.set(request, made);
    return made;
  };
  executeRoute(app, deps, accessFor);
  chainRoute(app, deps, accessFor);
  batchRoute(app, deps, accessFor);
  executionRoutes(app, deps, accessFor);
  workspaceRoutes(app, deps, accessFor);
  workspaceFileRoutes(app, deps, accessFor);
  skillRoutes(app, accessFor);
  toolRoute(app, accessFor);
  skillContentRoutes(app, deps, accessFor);
  proposalRoute(app, deps, accessFor);
  installRoutes(app, deps);
  promptRoute(app, deps, accessFor);
  configurationRoutes(app, deps, accessFor);
  sessionRoutes(app, deps);
  pageRoutes(app, deps);
  mcpRoute(app, deps);
  auditRoute(app, deps, accessFor);
  auditExportRoute(app, deps, accessFor);
  auditFollowRoute(app, deps, accessFor);
  auditProofRoutes(app, deps, accessFor);
  auditTreeRoutes(app, deps, accessFor);
  healthRoute(app);
  readyRoute(app, deps);
  clusterRoutes(app, deps);
  metricsRoute(app, deps);
  referenceRoutes(app, deps);
  requireHandlers();
  return app;
}

/** Ambit parses with its own schemas; Fastify's compilers would only take time to load. */
function noSchemas(): never {
  throw new Error('a route has a Fastify schema; use parseRequest instead');
}
/** Browsers must not cache, sniff, frame or run a response. A page sets its own policy. */
const everyAnswer = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** A path that matches no route: requests that cannot be routed are handled like unknown routes. */
const nowhere = '/%EF%BF%BD';

function routableUrl({ url = '' }: IncomingMessage): string {
  if (!url.startsWith('/')) return nowhere;
  if (url === consoleUrl) return `${url}/`;
  try {
    decodeURIComponent(url.split(/[?#]/, 1)[0] ?? '');
    return url;
  } catch {
    // An invalid percent escape.
    return nowhere;
  }
}
