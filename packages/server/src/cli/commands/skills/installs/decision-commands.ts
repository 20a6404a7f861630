import type { Command } from 'commander';
import { type CommandContext, examples, flagsOf } from '../../../command/command-context.ts';
import { laterTime } from '../../../command/future-time.ts';
import { printableLine } from '../../../output/printable.ts';
import { addApprove } from './skills-approve.ts';
import { withInstalls } from './with-installs.ts';

/** `ambit skills approve`, `postpone`, `revoke` and `restore`. */
export function addDecisions(skills: Command, context: CommandContext): void {
  addApprove(skills, context);
  addPostpone(skills, context);
  addRevoke(skills, context);
  addRestore(skills, context);
}

function addPostpone(skills: Command, context: CommandContext): void {
  skills
    .command('postpone')
    .summary('decide later about an installed skill')
    .description(
      'Postpone the decision about the version of an installed skill that waits for one. What runs stays the same. The list of installed skills shows until when it is postponed, unless another version comes first.',
    )
    .argument('<skill>', 'the id of the skill')
    .requiredOption('--until <time>', 'until when: a duration or a date', laterTime)
    .addHelpText('after', examples(['ambit skills postpone acme:pdf-forms --until 7d', 'for a week']))
    .action(async (id: string, _options, command: Command) => {
      const { flags, print } = flagsOf<{ until: string }>(context, command);
      const { until } = flags;
      const postponed = await withInstalls(context, { flags, print, what: 'Postponing' }, (installs, asker) =>
        installs.postpone({ id, until }, asker),
      );
      if (print.json) print.document(postponed);
      else
        print.lines(
          `Postponed ${postponed.id} until ${postponed.until}: ${postponed.digest}`,
          `Recorded as event ${postponed.sequence} of the audit log.`,
        );
    });
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
            ? 'No installed skill is affected.'
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
