import type { ApprovalAnswer } from '@ambit/api';
import type { AmbitClient, ApproveInstalls } from '@ambit/client';
import { UsageError } from '@ambit/core/outcome';
import { Refusal } from '@ambit/server/errors';
import type { VersionToApprove } from '@ambit/server/installs';
import { shellWord } from '@ambit/server/trust';
import { defineCommand } from '../../../command/define-command.ts';
import { laterTime } from '../../../command/times.ts';
import { withInstalls } from '../../../installs/with-installs.ts';
import { nextCommand, type RepeatedFlags } from '../../../output/next-command.ts';
import { plural } from '../../../output/plural.ts';
import { printableLine } from '../../../output/printable.ts';
import type { Printer } from '../../../output/printer.ts';
import { table } from '../../../output/table.ts';
import { signerText } from './signer-text.ts';

/** `ambit skills approve`: approves installed skills, all that are named or none. */
export const skillsApprove = defineCommand({
  name: 'skills approve',
  summary: 'approve installed skills, so that their programs run',
  description:
    'Approve the versions of installed skills that "ambit skills review" shows: all of them, or none if one cannot be approved. Their programs then run in the sandbox, with what they ask for inside the sandbox; network, secrets and folders also need a grant. Each approval is bound to the digest, the requests, the publisher and the tier, and recorded in the audit log. Without a terminal, each skill needs the name of its review or its digest, so that a script approves only what was read.',
  args: {
    skill: {
      text: 'the ids of the skills, or ID@NAME with the review or the digest that you read',
      variadic: true,
      completes: 'installed',
    },
  },
  options: {
    tier: {
      value: 'tier',
      text: "their limits: verified can get less memory and time than local (default: a publisher's tier, or verified)",
      details: 'Applies to all named skills',
      choices: ['verified', 'local'],
    },
    until: {
      value: 'time',
      text: 'when the approval ends by itself: a duration or a date',
      details: 'Examples: `12h`, `30d`, `2027-01-31`',
      parse: laterTime,
    },
    review: {
      value: 'name',
      text: 'fail if anything has changed since this review, or if this is not its digest; for one skill',
      details: 'See [reviews](installs.md#review)',
    },
  },
  examples: {
    'ambit skills approve acme:pdf-forms': 'the version that the review shows',
    'ambit skills approve acme:pdf-forms acme:docx': 'both, or none',
    'ambit skills approve acme:pdf-forms --tier local': 'with the limits of your own skills',
    'ambit skills approve acme:pdf-forms --until 30d': 'untrusted again after 30 days',
    'ambit skills approve acme:pdf-forms --review 1f0c6a9d2b7e4c55': 'only if nothing has changed',
  },
  async run(context, flags, { skill: ids }) {
    const { print } = context;
    const { tier, review, until } = flags;
    const [id = '', ...others] = ids;
    if (others.length > 0 && review !== undefined)
      throw new UsageError(
        `--review names the review of one skill, and ${ids.length} skills are named. Approve each with its own --review, or leave it out`,
      );
    const versions = ids.map((each) => versionOf(each, review));
    const [first = { id }] = versions;
    if (context.terminal.stdin.isTTY !== true) requireNames(versions);
    const what = `Approving ${others.length === 0 ? printableLine(id) : plural(ids.length, 'skill')}`;
    const approvals = await withInstalls(context, what, async (installs) => {
      if (others.length > 0)
        return installs.approveAll({ skills: await readVersions(installs, versions), tier, until });
      const { digest, review: read } = await readVersion(installs, first);
      return [await installs.approve(first.id, { digest, review: read, tier, until })];
    });
    const [approval] = approvals;
    if (print.json) print.document(others.length === 0 ? approval : { approvals });
    else if (approval !== undefined) {
      print.lines(...(approvals.length === 1 ? approvalLines(approval) : approvalTable(print, approvals)));
      print.note(`Next: ${nextFor(approvals.find(({ call }) => call !== null) ?? approval, flags)}`);
    }
  },
});

/** A skill as named: `ID`, or `ID@NAME` with the name of a review or a digest. */
function versionOf(named: string, review: string | undefined): VersionToApprove {
  const [id = '', name = review] = named.split('@', 2);
  if (name === undefined) return { id };
  return name.startsWith('sha256:') ? { id, digest: name } : { id, review: name };
}

/**
 * A person at a terminal approves what the review has just shown. A script, or an agent with the shell of the operator, has to
 * name it. Throws `REVIEW_REQUIRED`.
 */
function requireNames(versions: readonly VersionToApprove[]): void {
  const bare = versions.filter(({ digest, review }) => digest === undefined && review === undefined);
  if (bare.length === 0) return;
  const ids = bare.map(({ id }) => printableLine(id)).join(', ');
  throw new Refusal(
    'REVIEW_REQUIRED',
    `${ids} cannot be approved by id alone without a terminal: a person decides, after reading the review. docs/installs.md#review says how a script that they wrote names what was read`,
  );
}

/** A version with its digest, and with the review that was read just now if none is named: the daemon compares both. */
async function readVersion(
  installs: AmbitClient['installs'],
  { id, digest, review }: VersionToApprove,
): Promise<{ digest: string; review: string | undefined }> {
  if (digest !== undefined) return { digest, review };
  const found = await installs.review(id);
  return { digest: found.digest, review: review ?? found.review };
}

/** The same for several versions. */
async function readVersions(
  installs: AmbitClient['installs'],
  versions: readonly VersionToApprove[],
): Promise<ApproveInstalls['skills']> {
  const listed = versions.some(({ digest }) => digest === undefined) ? await installs.list() : [];
  return Promise.all(
    versions.map(async ({ id, digest, review }) => {
      if (digest !== undefined) return { id, digest, review };
      const found = listed.filter((each) => each.id === id || each.id.endsWith(`:${id}`));
      const only = found.find((each) => each.id === id) ?? found[0];
      // Without a digest the daemon refuses the whole change and names the skill.
      if (only === undefined) return { id, digest: '' };
      // The digest of its files does not name its packages, or which version waits.
      if (only.dependencies === null && only.waiting === null) return { id, digest: only.digest, review };
      return { id, ...(await readVersion(installs, { id: only.id, review })) };
    }),
  );
}

function approvalLines(approval: ApprovalAnswer): string[] {
  return [
    `Approved ${approval.id} at tier ${approval.tier}: ${approval.digest}`,
    ...(approval.until === undefined ? [] : [`The approval ends at ${approval.until}.`]),
    `It asks for: ${requestsText(approval)}`,
    signerText(approval),
    `Recorded as event ${approval.sequence} of the audit log.`,
  ];
}

function approvalTable(print: Printer, approvals: readonly ApprovalAnswer[]): string[] {
  const rows = approvals.map((each) => [
    ...[each.id, each.tier, each.publisher ?? '-', String(each.sequence), each.digest.slice(0, 19)],
    requestsText(each),
  ]);
  const heads = ['ID', 'TIER', 'PUBLISHER', 'EVENT', 'DIGEST', 'ASKS FOR'];
  const [head = '', ...lines] = table([heads, ...rows], print.width);
  return [`Approved ${plural(approvals.length, 'skill')}:`, print.style('bold', head), ...lines];
}

function requestsText({ requests }: ApprovalAnswer): string {
  return printableLine(requests.length === 0 ? 'nothing' : requests.join(', '));
}

/** The first use: help of a program, the schema of a skill that gets JSON, or a prompt with instructions. */
function nextFor({ id, call }: ApprovalAnswer, flags: RepeatedFlags): string {
  if (call === null) return nextCommand(`ambit prompt --only ${id} --active ${id}`, flags);
  if (call.protocol === 'json') return nextCommand(`ambit skills show ${id}`, flags);
  const script = call.script === null ? '' : ` --script ${printableLine(shellWord(call.script))}`;
  return `${nextCommand(`ambit run ${id}${script}`, flags)} -- --help`;
}
