import type { Command } from 'commander';
import { type CommandContext, examples, flagsOf } from '../../../command/command-context.ts';
import { withInstalls } from '../../../installs/with-installs.ts';
import { printableLine } from '../../../output/printable.ts';
import { addApprove } from './skills-approve.ts';

/** `ambit skills approve`, `revoke` and `restore`. */
export function addDecisions(skills: Command, context: CommandContext): void {
  addApprove(skills, context);
  addRevoke(skills, context);
  addRestore(skills, context);
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
      const answer = await withInstalls(context, { flags, print, what: 'Revoking' }, (installs, requester) =>
        installs.revoke(subject, reason, requester),
      );
      if (print.json) print.document(answer);
      else
        print.lines(
          `Revoked ${printableLine(answer.subject)}`,
          answer.skills.length === 0
            ? 'No installed skill is affected.'
            : `Refused from now on: ${answer.skills.join(', ')}`,
          `Recorded as event ${answer.sequence} of the audit log.`,
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
      const answer = await withInstalls(context, { flags, print, what: 'Restoring' }, (installs, requester) =>
        installs.restore(subject, requester),
      );
      if (print.json) print.document(answer);
      else
        print.lines(
          `Took back the revocation of ${printableLine(answer.subject)}`,
          `Recorded as event ${answer.sequence} of the audit log.`,
        );
    });
}
