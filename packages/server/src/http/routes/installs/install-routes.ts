import { installContracts } from '@ambit/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { hasScope } from '../../../auth/key-rights.ts';
import type { Requester } from '../../../installs/installs.ts';
import { callSignal } from '../../connections/when-closed.ts';
import type { AppDeps } from '../../route/app-deps.ts';
import { requestInvalid } from '../../route/parse-request.ts';
import { rightsOf } from '../../route/request-state.ts';
import { route } from '../../route/route.ts';
import { boundToSkills } from '../audit/audit-bounds.ts';

/**
 * Installed skills. Reading needs `skills:read`. Every change needs `approve`, and is recorded in the audit log before it is
 * made. A change whose client disconnects is dropped, unless it is already being made.
 */
export function installRoutes(app: FastifyInstance, { installs, execute: { now }, shutdown }: AppDeps): void {
  /** A key that is bound to skills decides about none of them: an approval would widen what it may do. */
  const askerOf = (request: FastifyRequest, reply: Parameters<typeof callSignal>[0]): Requester => {
    const { actor, skills } = rightsOf(request);
    if (skills !== undefined)
      throw boundToSkills(request, 'installed skills: GET /installs', 'the decisions about all skills');
    return { actor, confirmation: request.confirmation ?? undefined, signal: callSignal(reply, shutdown) };
  };
  const mayRead = (request: FastifyRequest, id: string): boolean =>
    rightsOf(request).skills?.has(id) !== false;

  /** Before a person is asked to confirm the decision. */
  const checkUntil = ({ body: { until } }: { body: { until?: string } }): void => {
    if (until !== undefined && Date.parse(until) <= now())
      throw requestInvalid([{ at: '/until', message: 'until: write a time in the future' }]);
  };

  route(app, installContracts.listInstalled, async (_, request) => {
    return { skills: (await installs.list()).filter(({ id }) => mayRead(request, id)) };
  });

  route(app, installContracts.reviewInstalled, async ({ params: { id } }, request) => {
    const { skills } = rightsOf(request);
    const review = skills === undefined || skills.has(id) ? await installs.review(id) : undefined;
    if (review === undefined || !mayRead(request, review.skill.id))
      throw boundToSkills(request, 'these in GET /installs', 'another skill');
    return review;
  });

  route(app, installContracts.addInstalled, async ({ body }, request, reply) => {
    const allowsPaths = hasScope(rightsOf(request), 'admin');
    return installs.add({ ...body, allowsPaths }, askerOf(request, reply));
  });

  route(
    app,
    installContracts.approveInstalled,
    async ({ params: { id }, body }, request, reply) =>
      installs.approve({ id, ...body }, askerOf(request, reply)),
    checkUntil,
  );

  route(
    app,
    installContracts.approveAllInstalled,
    async ({ body }, request, reply) => {
      return { approvals: await installs.approveAll(body, askerOf(request, reply)) };
    },
    checkUntil,
  );

  route(app, installContracts.checkInstalled, async ({ body: { skills } }, request, reply) =>
    installs.outdated(skills, askerOf(request, reply)),
  );

  route(app, installContracts.updateInstalled, async ({ body: { skills } }, request, reply) =>
    installs.update(skills, askerOf(request, reply)),
  );

  route(app, installContracts.syncInstalled, async ({ body }, request, reply) =>
    installs.sync(body, askerOf(request, reply)),
  );

  route(
    app,
    installContracts.lockInstalledPackages,
    async ({ params: { id }, body: { add } }, request, reply) =>
      installs.lockPackages({ id, add }, askerOf(request, reply)),
  );

  route(app, installContracts.revokeInstalled, async ({ body: { subject, reason } }, request, reply) =>
    installs.revoke(subject, reason, askerOf(request, reply)),
  );

  route(app, installContracts.restoreInstalled, async ({ body: { subject } }, request, reply) =>
    installs.restore(subject, askerOf(request, reply)),
  );

  route(app, installContracts.removeInstalled, async ({ body: { skills } }, request, reply) =>
    installs.remove(skills, askerOf(request, reply)),
  );
}
