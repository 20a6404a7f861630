import { SkillName } from '@ambit/core/skill';
import { z } from 'zod';
import { json } from '../answer.ts';
import { defineContracts } from '../contract.ts';
import { SkillParams } from '../skill-params.ts';
import {
  ApprovalAnswer,
  InstallChanges,
  InstalledSummary,
  InstallReview,
  RevocationAnswer,
} from './answers.ts';

const Ids = z.array(z.string()).max(1000).describe('Only these skills, by id or name. Default: all.');

/** The header with a code that confirms one decision. */
export const confirmationHeader = 'ambit-confirmation';

/** The request headers of a decision. Admission reads them; here they are for the reference. */
const ConfirmationHeaders = z.object({
  [confirmationHeader]: z
    .string()
    .optional()
    .describe('For a session of the web console: a code of `ambit console confirm`, for this one request.'),
});

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

const until = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text).toISOString())
  .exactOptional()
  .describe('When the approval ends by itself: the skill is then untrusted again. Default: never.');
const changing = { method: 'POST', scope: 'approve', headers: ConfirmationHeaders } as const;
const several = z.strictObject({ skills: Ids.default([]) });

const Subject = z.string().min(1).max(300);
const subjectWords = 'The id of a skill, a digest (`sha256:…`), or `publisher:` and a name.';

/** Installed skills: sources, decisions and updates. */
export const installContracts = defineContracts('Installed skills', {
  listInstalled: {
    method: 'GET',
    url: '/installs',
    scope: 'skills:read',
    summary: 'List installed skills',
    description: 'The skills in the lock file that the key may see, by id, with what was decided about them.',
    answers: { 200: json('The skills.', z.strictObject({ skills: z.array(InstalledSummary).readonly() })) },
    problems: ofAll,
  },
  reviewInstalled: {
    method: 'GET',
    url: '/installs/:id',
    scope: 'skills:read',
    summary: 'Review an installed skill',
    description:
      'What a person needs to decide about it: what it asks for, what was found in its files, and how it differs from the approved version.',
    params: SkillParams,
    answers: { 200: json('The review.', InstallReview) },
    problems: [...ofAll, 'INSTALL_NOT_FOUND'],
  },
  addInstalled: {
    url: '/installs',
    ...changing,
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
  },
  approveInstalled: {
    url: '/installs/:id/approve',
    ...changing,
    summary: 'Approve an installed skill',
    description:
      'Approves exactly the version with this digest. The approval is bound to the digest, what the skill asks for, its publisher and the tier. The event in the audit log has a receipt.',
    params: SkillParams,
    body: z.strictObject({ ...reviewed, tier, until }),
    answers: { 200: json('The approval.', ApprovalAnswer) },
    problems: ofApproval,
  },
  approveAllInstalled: {
    url: '/installs/approve',
    ...changing,
    summary: 'Approve several installed skills',
    description:
      'Approves the versions with these digests in one change: all of them, or none. Each has an event of its own in the audit log, with a receipt. A refusal names every skill that cannot be approved.',
    body: z.strictObject({
      skills: z
        .array(z.strictObject({ ...SkillParams.shape, ...reviewed }))
        .min(1)
        .max(1000),
      tier,
      until,
    }),
    bodyExample: { skills: [{ id: 'acme:pdf-forms', digest: 'sha256:…' }] },
    answers: {
      200: json('The approvals.', z.strictObject({ approvals: z.array(ApprovalAnswer).readonly() })),
    },
    problems: ofApproval,
  },
  checkInstalled: {
    url: '/installs/outdated',
    ...changing,
    summary: 'Look for later versions',
    description: 'Reads the sources again and says what an update would change. Changes nothing.',
    body: several,
    answers: { 200: json('What an update would do with each skill.', InstallChanges) },
    problems: [...ofAll, ...ofSource, 'INSTALL_NOT_FOUND'],
  },
  updateInstalled: {
    url: '/installs/update',
    ...changing,
    summary: 'Update installed skills',
    description:
      'Reads the sources again and installs what has changed. A later version of an approved skill waits for its own approval.',
    body: several,
    answers: { 200: json('What was done with each skill.', InstallChanges) },
    problems: [...ofAll, ...ofSource, 'INSTALL_NOT_FOUND'],
  },
  syncInstalled: {
    url: '/installs/sync',
    ...changing,
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
  },
  lockInstalledPackages: {
    url: '/installs/:id/packages',
    ...changing,
    summary: 'Lock the packages of an installed skill',
    description:
      'Resolves what the skill declares and what was added to exact versions of the configured index and registry, and builds them in the sandbox. A changed lock of an approved skill waits for approval. The answer comes when all is done, which can take minutes.',
    params: SkillParams,
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
  },
  revokeInstalled: {
    url: '/installs/revoke',
    ...changing,
    summary: 'Revoke a skill, a version or a publisher',
    description: 'Calls are refused from now on, and running calls end.',
    body: z.strictObject({
      subject: Subject.describe(subjectWords),
      reason: z.string().max(1000).nullable().default(null),
    }),
    answers: { 200: json('The revocation.', RevocationAnswer) },
    problems: [...ofAll, 'INSTALL_NOT_FOUND'],
  },
  restoreInstalled: {
    url: '/installs/restore',
    ...changing,
    summary: 'Take back a revocation',
    description: 'Skills that were approved before run again.',
    body: z.strictObject({ subject: Subject.describe(subjectWords) }),
    answers: { 200: json('The revocation that was taken back.', RevocationAnswer) },
    problems: [...ofAll, 'INSTALL_NOT_FOUND'],
  },
  removeInstalled: {
    url: '/installs/remove',
    ...changing,
    summary: 'Remove installed skills',
    description: 'Removes them from the lock file, with their approvals and files. Running calls end.',
    body: z.strictObject({ skills: Ids.min(1).describe('By id or name.') }),
    answers: { 200: json('What was removed.', InstallChanges) },
    problems: [...ofAll, 'INSTALL_NOT_FOUND'],
  },
});
