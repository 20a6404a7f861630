import { skillErrorCodes } from '@ambit/core/outcome';
import { z } from 'zod';
import { EntityHeaders, json, stream, tagged, unchanged } from './answer.ts';
import { defineContracts } from './contract.ts';

/** Needs no key, so it contains nothing else. */
const Health = z
  .strictObject({ status: z.literal('ok') })
  .meta({ id: 'Health', description: 'The daemon is alive.' });

const Checks = z
  .record(z.string(), z.enum(['ok', 'low', ...skillErrorCodes]))
  .describe(
    'By component: `ok`; `low` if calls are still accepted but may soon be refused; otherwise the code that calls are refused with.',
  );

export const Ready = z
  .strictObject({
    status: z.literal('ready'),
    configuration: z
      .enum(['current', 'refused'])
      .describe(
        '`refused` if the file was read again and is invalid. The previous configuration stays in force.',
      ),
    checks: Checks,
  })
  .meta({ id: 'Ready', description: 'Calls are accepted.' });

/** Needs no key, so it has codes, which are the same everywhere, and no paths of this machine. */
export const Unready = z
  .strictObject({
    status: z.literal('unavailable'),
    code: z.enum([...skillErrorCodes, 'SHUTTING_DOWN']).describe('The code that calls are refused with.'),
    checks: Checks,
  })
  .meta({ id: 'Unready', description: 'Calls are refused.' });

export const nodeStatuses = ['running', 'draining', 'stopped', 'lost', 'retired'] as const;

const ClusterNode = z
  .strictObject({
    id: z.number(),
    name: z.string(),
    status: z
      .enum(nodeStatuses)
      .describe(
        '`running` and `draining` have a lease; `lost` has let it end; `stopped` has none, which a lost node soon becomes.',
      ),
    advertise: z.string().describe('HOST:PORT, where other nodes reach it.'),
    version: z.string().describe('Of Ambit; empty before its first start.'),
    epoch: z.number().describe('Grows with each start, and whenever its lease has ended.'),
    cannotReach: z
      .array(z.string())
      .readonly()
      .describe(
        'The nodes with a lease whose port it could not reach at its last look. Requests about their calls fail at this node.',
      ),
    joinedAt: z.string().describe('ISO 8601.'),
    leaseUntil: z
      .string()
      .nullable()
      .describe("ISO 8601, by the database's clock; `null` without a lease. A running node renews it."),
    load: z
      .strictObject({
        running: z.number().describe('Calls that run.'),
        waiting: z.number().describe('Calls in the queue.'),
        unshippedEvents: z.number().describe('Events of its log that the database does not have yet.'),
        shippingLagMs: z.number().describe('The age of the oldest of them; 0 without any.'),
      })
      .nullable()
      .describe('`null`: it has no lease, or did not answer within a second.'),
  })
  .meta({ id: 'ClusterNode', description: 'A node of a cluster.' });
export type ClusterNode = z.output<typeof ClusterNode>;

/** The nodes of a cluster, as one of them sees them. */
export const ClusterNodes = z
  .strictObject({
    node: z.string().nullable().describe('The node that answers; `null`: this daemon is in no cluster.'),
    nodes: z.array(ClusterNode).readonly().describe('In the order in which they joined.'),
  })
  .meta({ id: 'ClusterNodes', description: 'The nodes of a cluster; none without one.' });

const OpenApi = z
  .looseObject({ openapi: z.string(), info: z.looseObject({}), paths: z.record(z.string(), z.unknown()) })
  .meta({ id: 'OpenApi', description: 'An OpenAPI 3.1 document.' });

const open = { method: 'GET', scope: 'open', problems: [] } as const;

/** The state of the daemon and of its cluster, and its reference. */
export const daemonContracts = defineContracts('Daemon', {
  getHealth: {
    ...open,
    url: '/healthz',
    summary: 'Check liveness',
    description: 'For supervisors: any response means that the daemon is alive.',
    query: 'anything',
    answers: { 200: json('The daemon is alive.', Health, { example: { status: 'ok' } }) },
  },
  getReadiness: {
    ...open,
    url: '/readyz',
    summary: 'Check readiness',
    description: 'For load balancers and other callers.',
    query: 'anything',
    answers: {
      200: json('Calls are accepted.', Ready, {
        example: { status: 'ready', configuration: 'current', checks: { audit: 'ok' } },
      }),
      503: json('Calls are refused with this code.', Unready, {
        example: {
          status: 'unavailable',
          code: 'AUDIT_UNAVAILABLE',
          checks: { audit: 'AUDIT_UNAVAILABLE' },
        },
      }),
    },
  },
  listNodes: {
    method: 'GET',
    url: '/cluster/nodes',
    scope: 'metrics',
    summary: 'List the nodes of the cluster',
    description:
      'All nodes, as the node that answers last read them, retired ones too. Running nodes are asked for their load. Without a cluster, the list is empty.',
    answers: { 200: json('The nodes.', ClusterNodes, { example: { node: null, nodes: [] } }) },
    problems: ['SCOPE_MISSING'],
  },
  getMetrics: {
    method: 'GET',
    url: '/metrics',
    scope: 'metrics',
    summary: 'Get metrics',
    description: 'Calls, refusals, durations, queues, hosts, the log and the process, for Prometheus.',
    answers: {
      200: stream('The metrics.', {
        'text/plain': { description: 'The Prometheus text format.' },
        'application/openmetrics-text': { description: 'OpenMetrics 1.0, if `Accept` names it.' },
      }),
    },
    problems: ['SCOPE_MISSING'],
  },
  getOpenApi: {
    ...open,
    url: '/openapi.json',
    summary: 'Get the OpenAPI document',
    description: 'This document.',
    headers: EntityHeaders,
    answers: { 200: json('The document.', OpenApi, tagged), 304: unchanged },
  },
  getReference: {
    ...open,
    url: '/docs',
    summary: 'Read the reference',
    description: 'A page that describes every route, without scripts or external resources.',
    headers: EntityHeaders,
    answers: {
      200: stream('The page.', { 'text/html': { description: 'HTML.' } }, tagged),
      304: unchanged,
    },
  },
});
