import { SkillName } from '@ambit/core/skill';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { hasScope } from '../../../auth/key-rights.ts';
import type { Requester } from '../../../installs/installs.ts';
import {
  ApprovalAnswer,
  InstallChanges,
  InstalledSummary,
  InstallReview,
  RevocationAnswer,
} from '../../../wire/answer/installs.ts';
import { callSignal } from '../../connections/when-closed.ts';
import { json } from '../../route/answer.ts';
import type { AppDeps } from '../../route/app-deps.ts';
import { ConfirmationHeaders } from '../../route/confirmation-headers.ts';
import { defineRoute } from '../../route/define-route.ts';
import { rightsOf } from '../../route/request-state.ts';
import { boundToSkills } from '../audit/audit-bounds.ts';

const Params = z.strictObject({ id: z.string().describe("The skill's id.") });
const Ids = z.array(z.string()).max(1000).describe('Only these skills, by id or name. Default: all.');

/** Refusals of a source. */
const ofSource = [
  'SOURCE_MISSING',
  'SOURCE_UNSUPPORTED',
  'SOURCE_UNREACHABLE',
  'SOURCE_NOT_ALLOWED',
  'SOURCE_DAMAGED',
  'SOURCE_UNSAFE_PATH',
  'SOURCE_TOO_LARGE',
  'SANDBOX_UNAVAILABLE',
] as const;
/** Refusals of packages. */
const ofPackages = [
  'DEPENDENCY_UNSUPPORTED',
  'DEPENDENCY_NO_INDEX',
  'DEPENDENCY_UNRESOLVED',
  'DEPENDENCY_NEEDS_BUILD',
] as const;
const ofAll = ['STORE_UNAVAILABLE', 'LOCK_INVALID'] as const;

const ofApproval = [
  ...ofAll,
  ...([
    'INSTALL_NOT_FOUND',
    'REVIEW_STALE',
    'SKILL_REVOKED',
    'LOCK_MISMATCH',
    'SKILL_INVALID',
    'SIGNATURE_INVALID',
    'TIER_NOT_ALLOWED',
  ] as const),
];

const reviewed = {
  digest: z.string().describe('What was reviewed: `digest` of `GET /installs/{id}`.'),
  review: z
    .string()
    .exactOptional()
    .describe(
      '`review` of that answer: refused if anything it depends on has changed. Required if the version has locked packages, or the same files as the approved version.',
    ),
};
const tier = z
  .enum(['verified', 'local'])
  .exactOptional()
  .describe('Absent: the tier of its publisher in the configuration, or `verified`.');

/**
 * Installed skills. Reading needs `skills:read`. Every change needs `approve`, and is recorded in the audit log before it is
 * made. A change whose client disconnects is dropped, unless it is already being made.
 */
export function installRoutes(app: FastifyInstance, { installs, execute: { now }, shutdown }: AppDeps): void {
  const until = z.iso
    .datetime({ offset: true })
    .transform((text) => new Date(text).toISOString())
    .refine((time) => Date.parse(time) > now(), 'write a time in the future')
    .exactOptional()
    .describe('When the approval ends by itself: the skill is then untrusted again. Default: never.');
  const group = 'Installed skills' as const;
  const reading = { group, scope: 'skills:read' } as const;
  const changing = { group, scope: 'approve', headers: ConfirmationHeaders } as const;
  /** A key that is bound to skills decides about none of them: an approval would widen what it may do. */
  const askerOf = (request: FastifyRequest, reply: Parameters<typeof callSignal>[0]): Requester => {
    const { actor, skills } = rightsOf(request);
    if (skills !== undefined)
      throw boundToSkills(request, 'installed skills: GET /installs', 'the decisions about all skills');
    return { actor, confirmation: request.confirmation ?? undefined, signal: callSignal(reply, shutdown) };
  };
  const mayRead = (request: FastifyRequest, id: string): boolean =>
    rightsOf(request).skills?.has(id) !== false;

  defineRoute(app, {
    method: 'GET',
    url: '/installs',
    ...reading,
    id: 'listInstalled',
    summary: 'List installed skills',
    description: 'The skills in the lock file that the key may see, by id, with what was decided about them.',
    answers: { 200: json('The skills.', z.strictObject({ skills: z.array(InstalledSummary) })) },
    problems: ofAll,
    async handle(_, request) {
      return { skills: (await installs.list()).filter(({ id }) => mayRead(request, id)) };
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/installs/:id',
    ...reading,
    id: 'reviewInstalled',
    summary: 'Review an installed skill',
    description:
      'What a person needs to decide about it: what it asks for, what was found in its files, and how it differs from the approved version.',
    params: Params,
    answers: { 200: json('The review.', InstallReview) },
    problems: [...ofAll, 'INSTALL_NOT_FOUND'],
    async handle({ params: { id } }, request) {
      const { skills } = rightsOf(request);
      const review = skills === undefined || skills.has(id) ? await installs.review(id) : undefined;
      if (review === undefined || !mayRead(request, review.skill.id))
        throw boundToSkills(request, 'these in GET /installs', 'another skill');
      return review;
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/installs',
    ...changing,
    id: 'addInstalled',
    summary: 'Install skills',
    description:
      "Fetches the skills of a source, reads them and lists them in the lock file, without running their code. Answers when all is done, which can take minutes. A path on the daemon's machine needs a key with `admin`, because the daemon reads its own files.",
    body: z.strictObject({
      source: z.string().min(1).max(4096).describe('A source, as for `ambit skills add`.'),
      namespace: SkillName.exactOptional().describe('Begins their ids. Default: made from the source.'),
      skills: Ids.exactOptional().describe('Only these skills of the source, by name. Default: all.'),
    }),
    bodyExample: { source: 'acme/skills#v1.2' },
    answers: { 200: json('What was done with each skill.', InstallChanges) },
    problems: [...ofAll, ...ofSource, 'INSTALL_NOT_FOUND', 'NAMESPACE_TAKEN'],
    async handle({ body }, request, reply) {
      const allowsPaths = hasScope(rightsOf(request), 'admin');
      return installs.add({ ...body, allowsPaths }, askerOf(request, reply));
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/installs/:id/approve',
    ...changing,
    id: 'approveInstalled',
    summary: 'Approve an installed skill',
    description:
      'Approves exactly the version with this digest. The approval is bound to the digest, what the skill asks for, its publisher and the tier. The event in the audit log has a receipt.',
    params: Params,
    body: z.strictObject({ ...reviewed, tier, until }),
    answers: { 200: json('The approval.', ApprovalAnswer) },
    problems: ofApproval,
    async handle({ params: { id }, body }, request, reply) {
      return installs.approve({ id, ...body }, askerOf(request, reply));
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/installs/approve',
    ...changing,
    id: 'approveAllInstalled',
    summary: 'Approve several installed skills',
    description:
      'Approves the versions with these digests in one change: all of them, or none. Each has an event of its own in the audit log, with a receipt. A refusal names every skill that cannot be approved.',
    body: z.strictObject({
      skills: z
        .array(z.strictObject({ ...Params.shape, ...reviewed }))
        .min(1)
        .max(1000),
      tier,
      until,
    }),
    bodyExample: { skills: [{ id: 'acme:pdf-forms', digest: 'sha256:…' }] },
    answers: { 200: json('The approvals.', z.strictObject({ approvals: z.array(ApprovalAnswer) })) },
    problems: ofApproval,
    async handle({ body }, request, reply) {
      return { approvals: await installs.approveAll(body, askerOf(request, reply)) };
    },
  });

  const several = z.strictObject({ skills: Ids.default([]) });
  defineRoute(app, {
    method: 'POST',
    url: '/installs/outdated',
    ...changing,
    id: 'checkInstalled',
    summary: 'Look for later versions',
    description: 'Reads the sources again and says what an update would change. Changes nothing.',
    body: several,
    answers: { 200: json('What an update would do with each skill.', InstallChanges) },
    problems: [...ofAll, ...ofSource, 'INSTALL_NOT_FOUND'],
    async handle({ body: { skills } }, request, reply) {
      return installs.outdated(skills, askerOf(request, reply));
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/installs/update',
    ...changing,
    id: 'updateInstalled',
    summary: 'Update installed skills',
    description:
      'Reads the sources again and installs what has changed. A later version of an approved skill waits for its own approval.',
    body: several,
    answers: { 200: json('What was done with each skill.', InstallChanges) },
    problems: [...ofAll, ...ofSource, 'INSTALL_NOT_FOUND'],
    async handle({ body: { skills } }, request, reply) {
      return installs.update(skills, askerOf(request, reply));
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/installs/sync',
    ...changing,
    id: 'syncInstalled',
    summary: 'Match the stored files to the lock file',
    description:
      'Fetches versions that the lock file lists and that are missing or damaged. With `frozen`, only checks.',
    body: z.strictObject({ frozen: z.boolean().default(false) }),
    answers: { 200: json('What was fetched.', InstallChanges) },
    problems: [
      ...ofAll,
      ...ofSource,
      ...ofPackages,
      ...(['LOCK_MISMATCH', 'SIGNATURE_INVALID', 'PROGRAM_MISSING'] as const),
    ],
    async handle({ body }, request, reply) {
      return installs.sync(body, askerOf(request, reply));
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/installs/:id/packages',
    ...changing,
    id: 'lockInstalledPackages',
    summary: 'Lock the packages of an installed skill',
    description:
      'Resolves what the skill declares and what was added to exact versions of the configured index and registry, and builds them in the sandbox. A changed lock of an approved skill waits for approval. The answer comes when all is done, which can take minutes.',
    params: Params,
    body: z.strictObject({
      add: z
        .array(z.string().min(1).max(500))
        .max(100)
        .default([])
        .describe(
          'Further packages: `name` or `name>=1.0` of Python, `npm:name` or `npm:name@^1.0` of npm. A plain name is of npm too, if the skill has only JavaScript.',
        ),
    }),
    bodyExample: { add: ['PyYAML'] },
    answers: { 200: json('What was done.', InstallChanges) },
    problems: [
      ...ofAll,
      ...ofSource,
      ...ofPackages,
      ...([
        'INSTALL_NOT_FOUND',
        'REVIEW_STALE',
        'LOCK_MISMATCH',
        'SKILL_INVALID',
        'PROGRAM_MISSING',
      ] as const),
    ],
    async handle({ params: { id }, body: { add } }, request, reply) {
      return installs.lockPackages({ id, add }, askerOf(request, reply));
    },
  });

  const Subject = z.string().min(1).max(300);
  const subjectWords = 'The id of a skill, a digest (`sha256:…`), or `publisher:` and a name.';
  defineRoute(app, {
    method: 'POST',
    url: '/installs/revoke',
    ...changing,
    id: 'revokeInstalled',
    summary: 'Revoke a skill, a version or a publisher',
    description: 'Calls are refused from now on, and running calls end.',
    body: z.strictObject({
      subject: Subject.describe(subjectWords),
      reason: z.string().max(1000).nullable().default(null),
    }),
    answers: { 200: json('The revocation.', RevocationAnswer) },
    problems: [...ofAll, 'INSTALL_NOT_FOUND'],
    async handle({ body: { subject, reason } }, request, reply) {
      return installs.revoke(subject, reason, askerOf(request, reply));
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/installs/restore',
    ...changing,
    id: 'restoreInstalled',
    summary: 'Take a revocation back',
    description: 'Skills that were approved before run again.',
    body: z.strictObject({ subject: Subject.describe(subjectWords) }),
    answers: { 200: json('The revocation that was taken back.', RevocationAnswer) },
    problems: [...ofAll, 'INSTALL_NOT_FOUND'],
    async handle({ body: { subject } }, request, reply) {
      return installs.restore(subject, askerOf(request, reply));
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/installs/remove',
    ...changing,
    id: 'removeInstalled',
    summary: 'Remove installed skills',
    description: 'Removes them from the lock file, with their approvals and files. Running calls end.',
    body: z.strictObject({ skills: Ids.min(1).describe('By id or name.') }),
    answers: { 200: json('What was removed.', InstallChanges) },
    problems: [...ofAll, 'INSTALL_NOT_FOUND'],
    async handle({ body: { skills } }, request, reply) {
      return installs.remove(skills, askerOf(request, reply));
    },
  });
}
