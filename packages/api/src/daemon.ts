import { z } from 'zod';
import { EntityHeaders, json, stream, tagged, unchanged } from './answer.ts';
import { ClusterNodes } from './cluster.ts';
import { defineContracts } from './contract.ts';
import { Health, Ready, Unready } from './health.ts';

const OpenApi = z
  .looseObject({ openapi: z.string(), info: z.looseObject({}), paths: z.record(z.string(), z.unknown()) })
  .meta({ id: 'OpenApi', description: 'An OpenAPI 3.1 document.' });

/** The state of the daemon and of its cluster, and its reference. */
export const daemonContracts = defineContracts('Daemon', {
  getHealth: {
    method: 'GET',
    url: '/healthz',
    scope: 'open',
    summary: 'Check liveness',
    description: 'For supervisors: any response means that the daemon is alive.',
    query: 'anything',
    answers: { 200: json('The daemon is alive.', Health, { example: { status: 'ok' } }) },
    problems: [],
  },
  getReadiness: {
    method: 'GET',
    url: '/readyz',
    scope: 'open',
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
    problems: [],
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
    method: 'GET',
    url: '/openapi.json',
    scope: 'open',
    summary: 'Get the OpenAPI document',
    description: 'This document.',
    headers: EntityHeaders,
    answers: { 200: json('The document.', OpenApi, tagged), 304: unchanged },
    problems: [],
  },
  getReference: {
    method: 'GET',
    url: '/docs',
    scope: 'open',
    summary: 'Read the reference',
    description: 'A page that describes every route, without scripts or external resources.',
    headers: EntityHeaders,
    answers: {
      200: stream('The page.', { 'text/html': { description: 'HTML.' } }, tagged),
      304: unchanged,
    },
    problems: [],
  },
});
