import { defineCommand } from '../../../command/define-command.ts';
import { withInstalls } from '../../../installs/with-installs.ts';
import { printableLine } from '../../../output/printable.ts';

/** `ambit skills revoke` and `restore`. */
export const decisionCommands = [
  defineCommand({
    name: 'skills revoke',
    summary: 'refuse an installed skill from now on, and end its running calls',
    description:
      'Revoke the installed versions of a skill, a digest, or all skills of a publisher. Calls are refused from now on, and running calls end. The versions stay refused if they are installed again.',
    args: {
      subject: { text: 'the id of a skill, a digest (sha256:…), or publisher:NAME', completes: 'installed' },
    },
    options: { reason: { value: 'text', text: 'say why, in the audit log and in refusals' } },
    examples: {
      'ambit skills revoke acme:pdf-forms --reason "sends data away"': 'its installed versions',
      'ambit skills revoke publisher:acme': 'every skill that acme has signed',
    },
    async run(context, flags, { subject }) {
      const { print } = context;
      const { reason = null } = flags;
      const answer = await withInstalls(context, 'Revoking', (installs) => installs.revoke(subject, reason));
      if (print.json) print.document(answer);
      else
        print.lines(
          `Revoked ${printableLine(answer.subject)}`,
          answer.skills.length === 0
            ? 'No installed skill is affected.'
            : `Refused from now on: ${answer.skills.join(', ')}`,
          `Recorded as event ${answer.sequence} of the audit log.`,
        );
    },
  }),
  defineCommand({
    name: 'skills restore',
    summary: 'take back a revocation',
    description: 'Take back a revocation. Skills that were approved before run again.',
    args: {
      subject: { text: 'the id of a skill, a digest (sha256:…), or publisher:NAME', completes: 'installed' },
    },
    examples: { 'ambit skills restore acme:pdf-forms': 'its installed version' },
    async run(context, _flags, { subject }) {
      const { print } = context;
      const answer = await withInstalls(context, 'Restoring', (installs) => installs.restore(subject));
      if (print.json) print.document(answer);
      else
        print.lines(
          `Took back the revocation of ${printableLine(answer.subject)}`,
          `Recorded as event ${answer.sequence} of the audit log.`,
        );
    },
  }),
];
