import type { IncomingMessage } from 'node:http';
import { type FastifyInstance, type FastifyRequest, fastify, LogController } from 'fastify';
import { type AccessScope, currentAccess } from '../auth/access/access-scope.ts';
import type { AppDeps } from './app-deps.ts';
import { endIdleConnections } from './idle-connections.ts';
import { observeRequests } from './observe-requests.ts';
import { answerRefusal } from './problem/answer-refusal.ts';
import { unreadableRequests } from './problem/unreadable-request.ts';
import { admit } from './request/admit.ts';
import { watchArrivingBodies } from './request/arriving-bodies.ts';
import { acceptBytes } from './request/bytes-body.ts';
import { acceptJson } from './request/json-body.ts';
import { knownRoutes } from './request/known-routes.ts';
import { collectContracts } from './request/route-scopes.ts';
import { logRequests } from './request-log.ts';
import { decorateRequests, rightsOf } from './request-state.ts';
import type { AccessFor } from './routes/access-for.ts';
import { auditExportRoute } from './routes/audit/audit-export-route.ts';
import { auditFollowRoute } from './routes/audit/audit-follow-route.ts';
import { auditProofRoutes } from './routes/audit/audit-proof-routes.ts';
import { auditRoute } from './routes/audit/audit-route.ts';
import { batchRoute } from './routes/calls/batch-route.ts';
import { chainRoute } from './routes/calls/chain-route.ts';
import { executeRoute } from './routes/calls/execute-route.ts';
import { executionRoutes } from './routes/calls/execution-routes.ts';
import { healthRoute } from './routes/health-route.ts';
import { mcpRoute } from './routes/mcp-route.ts';
import { metricsRoute } from './routes/metrics-route.ts';
import { promptRoute } from './routes/prompt-route.ts';
import { readyRoute } from './routes/ready-route.ts';
import { referenceRoutes } from './routes/reference-routes.ts';
import { skillContentRoutes } from './routes/skills/skill-content-routes.ts';
import { skillRoutes } from './routes/skills/skill-routes.ts';
import { workspaceFileRoutes } from './routes/workspaces/workspace-file-routes.ts';
import { workspaceRoutes } from './routes/workspaces/workspace-routes.ts';
import { limitConnections, serverOptions } from './server-options.ts';
import { boundUnreadAnswers } from './unread-answers.ts';

/**
 * The HTTP transport, built and not yet listening. A request is checked in this order: `Host` and `Origin`, the key and
 * whether it is for the route, the route, the body. Whatever is refused leaves one record in the audit log and is answered with a problem.
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
    // What Node or Fastify would answer by themselves would leave no record.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 16_384 },
    rewriteUrl: routableUrl,
    clientErrorHandler: unreadable.handle,
  });
  limitConnections(app.server, deps);
  endIdleConnections(app);
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
  app.decorate('contracts', collectContracts(app));
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(everyAnswer);
    unreadable.began({ request: request.raw, response: reply.raw });
    admit(deps, request);
    // Before the body is read: what is in it does not matter when nobody asks for it.
    if (request.is404) throw routes.noSuchRoute(request);
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    // An answer that comes during a stop: its connection would be kept, and keep the stop waiting.
    if (deps.draining.aborted) reply.header('connection', 'close');
    done(null, payload);
  });

  watchArrivingBodies(app, deps);

  const reach = currentAccess(deps);
  // A request is of one configuration, from its first look to its last.
  const reached = new WeakMap<FastifyRequest, AccessScope>();
  const reachFor: AccessFor = (request) => {
    const made = reached.get(request) ?? reach(rightsOf(request));
    reached.set(request, made);
    return made;
  };
  executeRoute(app, deps, reachFor);
  chainRoute(app, deps, reachFor);
  batchRoute(app, deps, reachFor);
  executionRoutes(app, deps, reachFor);
  workspaceRoutes(app, deps, reachFor);
  workspaceFileRoutes(app, deps, reachFor);
  skillRoutes(app, reachFor);
  skillContentRoutes(app, deps, reachFor);
  promptRoute(app, deps, reachFor);
  mcpRoute(app, deps);
  auditRoute(app, deps, reachFor);
  auditExportRoute(app, deps, reachFor);
  auditFollowRoute(app, deps, reachFor);
  auditProofRoutes(app, deps, reachFor);
  healthRoute(app);
  readyRoute(app, deps);
  metricsRoute(app, deps);
  referenceRoutes(app, deps);
  return app;
}

/** Bodies are read by schemas of our own, and Fastify's compilers would be loaded for nothing. */
function noSchemas(): never {
  throw new Error("a route has a schema of Fastify's; parseRequest reads what comes in");
}
/** Nothing that is answered is for a browser to keep, to guess at, to frame or to run. A page says itself what it loads. */
const everyAnswer = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** A path that names no route, so that requests that cannot be routed at all go the way of all unknown ones. */
const nowhere = '/%EF%BF%BD';

function routableUrl({ url = '' }: IncomingMessage): string {
  if (!url.startsWith('/')) return nowhere;
  try {
    decodeURIComponent(url.split(/[?#]/, 1)[0] ?? '');
    return url;
  } catch {
    // A percent sign that introduces nothing.
    return nowhere;
  }
}
