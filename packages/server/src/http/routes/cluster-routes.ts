import { ClusterNodes, daemonContracts } from '@ambit/api';
import type { FastifyInstance } from 'fastify';
import { listedNode } from '../../cluster/node-status.ts';
import { askNodes } from '../request/ask-nodes.ts';
import type { AppDeps } from '../route/app-deps.ts';
import { rightsOf } from '../route/request-state.ts';
import { route } from '../route/route.ts';
import { boundToSkills } from './audit/audit-bounds.ts';

/** `GET /cluster/nodes`: the nodes of the cluster. Each is asked for its load. */
export function clusterRoutes(app: FastifyInstance, deps: AppDeps): void {
  const { cluster } = deps;

  route(app, daemonContracts.listNodes, async (_, request) => {
    if (rightsOf(request).skills !== undefined)
      throw boundToSkills(request, 'GET /audit, with the scope audit:read', 'the calls of all skills');
    if (cluster === undefined) return { node: null, nodes: [] };
    const { running, waiting } = deps.execute.queue.load();
    const own = { running, waiting, ...cluster.unshipped() };
    const others = await askNodes(cluster, request, daemonContracts.listNodes.url, ClusterNodes);
    const loadOf = (name: string) => others.get(name)?.nodes.find((node) => node.name === name)?.load;
    const known = cluster.nodes();
    const nodes = known.map((node) => ({
      ...listedNode(node, known),
      leaseUntil: node.leaseUntil === 0 ? null : new Date(node.leaseUntil).toISOString(),
      load: node.name === cluster.identity.name ? own : (loadOf(node.name) ?? null),
    }));
    return { node: cluster.identity.name, nodes };
  });
}
