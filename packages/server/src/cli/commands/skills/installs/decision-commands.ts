import { type Command, Option } from 'commander';
import {
  type CommandContext,
  examples,
  flagsOf,
  type GlobalFlags,
} from '../../../command/command-context.ts';
import { nextCommand } from '../../../output/next-command.ts';
import { printableLine } from '../../../output/printable.ts';
import { signerText } from './signer-text.ts';
import { withInstalls } from './with-installs.ts';

/** `ambit skills approve`, `revoke` and `restore`. */
export function addDecisions(skills: Command, context: CommandContext): void {
  addApprove(skills, context);
  addRevoke(skills, context);
  addRestore(skills, context);
}

interface ApproveFlags {
  tier?: 'local' | 'verified';
  review?: string;
}

function addApprove(skills: Command, context: CommandContext): void {
  skills
    .command('approve')
    .summary('approve an installed skill, so that its programs run')
    .description(
      'Approve the version of an installed skill that "ambit skills review" shows. Its programs then run in the sandbox, with what it asks for inside the sandbox; network, secrets and folders also need a grant. The approval is bound to the digest, the requests, the publisher and the tier, and recorded in the audit log.',
    )
    .argument('<skill>', 'the id of the skill')
    .addOption(
      new Option(
        '--tier <tier>',
        "its limits: verified has less memory and time than local (default: its publisher's tier, or verified)",
      ).choices(['verified', 'local']),
    )
    .option('--review <name>', 'fail if anything has changed since this review')
    .addHelpText(
      'after',
      examples(
        ['ambit skills approve acme:pdf-forms', 'the version that the review shows'],
        ['ambit skills approve acme:pdf-forms --tier local', 'with the limits of your own skills'],
        ['ambit skills approve acme:pdf-forms --review 1f0c6a9d2b7e4c55', 'only if nothing has changed'],
      ),
    )
    .action(async (id: string, _options, command: Command) => {
      const { flags, print } = flagsOf<ApproveFlags>(context, command);
      const { tier, review } = flags;
      const approval = await withInstalls(
        context,
        { flags, print, what: `Approving ${printableLine(id)}` },
        async (installs, asker) => {
          const { digest } = await installs.review(id);
          return installs.approve({ id, tier, digest, review }, asker);
        },
      );
      if (print.json) {
        print.document(approval);
        return;
      }
      const asks = approval.requests.length === 0 ? ['nothing'] : approval.requests;
      print.lines(
        `Approved ${approval.id} at tier ${approval.tier}: ${approval.digest}`,
        `It asks for: ${printableLine(asks.join(', '))}`,
        signerText(approval),
        `Recorded as event ${approval.sequence} of the audit log.`,
      );
      print.note(`Next: ${nextFor(approval.requests, approval.id, flags)}`);
    });
}

function nextFor(requests: readonly string[], id: string, flags: GlobalFlags): string {
  const runs = requests.some((line) => line.startsWith('run '));
  return nextCommand(runs ? `ambit run ${id}` : `ambit skills show ${id}`, flags);
}

function addRevoke(skills: Command, context: CommandContext): void {
  skills
    .command('revoke')
    .summary('refuse an installed skill from now on, and end its running calls')
    .description(
      'Revoke the installed versions of a skill, a digest, or all skills of a publisher. Calls are refused from now on, and running calls end. The versions stay refused if they are installed again.',
    )
    .argument('<subject>', 'the id of a skill, a digest (sha256:…), or publisher:NAME')
    .option('--reason <text>', 'say why, in the audit log and in refusals')
    .addHelpText(
      'after',
      examples(
        ['ambit skills revoke acme:pdf-forms --reason "sends data away"', 'its installed versions'],
        ['ambit skills revoke publisher:acme', 'every skill that acme has signed'],
      ),
    )
    .action(async (subject: string, _options, command: Command) => {
      const { flags, print } = flagsOf<{ reason?: string }>(context, command);
      const { reason = null } = flags;
      const revocation = await withInstalls(context, { flags, print, what: 'Revoking' }, (installs, asker) =>
        installs.revoke(subject, reason, asker),
      );
      if (print.json) print.document(revocation);
      else
        print.lines(
          `Revoked ${printableLine(revocation.subject)}`,
          revocation.skills.length === 0
            ? 'No installed skill has it.'
            : `Refused from now on: ${revocation.skills.join(', ')}`,
          `Recorded as event ${revocation.sequence} of the audit log.`,
        );
    });
}

function addRestore(skills: Command, context: CommandContext): void {
  skills
    .command('restore')
    .summary('take a revocation back')
    .description('Take a revocation back. Skills that were approved before run again.')
    .argument('<subject>', 'the id of a skill, a digest (sha256:…), or publisher:NAME')
    .addHelpText('after', examples(['ambit skills restore acme:pdf-forms', 'its installed version']))
    .action(async (subject: string, _options, command: Command) => {
      const { flags, print } = flagsOf(context, command);
      const restored = await withInstalls(context, { flags, print, what: 'Restoring' }, (installs, asker) =>
        installs.restore(subject, asker),
      );
      if (print.json) print.document(restored);
      else
        print.lines(
          `Took back the revocation of ${printableLine(restored.subject)}`,
          `Recorded as event ${restored.sequence} of the audit log.`,
        );
    });
}
