import type { FastifyInstance } from 'fastify';
import { listedNode } from '../../cluster/node-status.ts';
import { ClusterNodes } from '../../wire/answer/cluster.ts';
import { askNodes } from '../request/ask-nodes.ts';
import { json } from '../route/answer.ts';
import type { AppDeps } from '../route/app-deps.ts';
import { defineRoute } from '../route/define-route.ts';
import { rightsOf } from '../route/request-state.ts';
import { boundToSkills } from './audit/audit-bounds.ts';

const url = '/cluster/nodes';

/** `GET /cluster/nodes`: the nodes of the cluster. Each is asked for its load. */
export function clusterRoutes(app: FastifyInstance, deps: AppDeps): void {
  const { cluster } = deps;

  defineRoute(app, {
    method: 'GET',
    url,
    scope: 'metrics',
    group: 'Daemon',
    id: 'listNodes',
    summary: 'List the nodes of the cluster',
    description:
      'All nodes, as the node that answers last read them, retired ones too. Running nodes are asked for their load. Without a cluster, the list is empty.',
    answers: { 200: json('The nodes.', ClusterNodes, { example: { node: null, nodes: [] } }) },
    problems: ['SCOPE_MISSING'],
    async handle(_, request) {
      if (rightsOf(request).skills !== undefined)
        throw boundToSkills(request, 'GET /audit, with the scope audit:read', 'the calls of all skills');
      if (cluster === undefined) return { node: null, nodes: [] };
      const { running, waiting } = deps.execute.queue.load();
      const own = { running, waiting, ...cluster.unshipped() };
      const others = await askNodes(cluster, request, url, ClusterNodes);
      const loadOf = (name: string) => others.get(name)?.nodes.find((node) => node.name === name)?.load;
      const known = cluster.nodes();
      const nodes = known.map((node) => ({
        ...listedNode(node, known),
        leaseUntil: node.leaseUntil === 0 ? null : new Date(node.leaseUntil).toISOString(),
        load: node.name === cluster.identity.name ? own : (loadOf(node.name) ?? null),
      }));
      return { node: cluster.identity.name, nodes };
    },
  });
}
