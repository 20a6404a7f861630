import { resolve } from 'node:path';
import { UsageError } from '@ambit/core/outcome';
import type { Command } from 'commander';
import { type CommandContext, examples, flagsOf } from '../../../command/command-context.ts';
import { printableLine } from '../../../output/printable.ts';

/** `ambit skills sign` and `new-key`, for the authors of skills. */
export function addSigning(skills: Command, context: CommandContext): void {
  addSign(skills, context);
  addNewKey(skills, context);
}

function addSign(skills: Command, { actions, terminal, ...context }: CommandContext): void {
  skills
    .command('sign')
    .summary('sign skills that you publish')
    .description(
      'Sign skills that you publish: write .ambit-signature.json into the folder of each. The file is not part of the skill. Sign again after each change. Operators verify it with your public key, as "publishers" in their configuration.',
    )
    .argument('<folder...>', 'the folders of the skills')
    .option('--key <file>', 'an Ed25519 private key in PEM; "ambit skills new-key" creates one')
    .option('--print', 'print what another program has to sign as a file, such as cosign, and write nothing')
    .addHelpText(
      'after',
      examples(
        ['ambit skills sign skills/* --key publisher.key', 'every skill of a repository'],
        ['ambit skills sign skills/pdf-forms --print | cosign sign-blob --bundle B.json -', 'with Sigstore'],
      ),
    )
    .action(async (named: string[], _options, command: Command) => {
      const { flags, print } = flagsOf<{ key?: string; print?: boolean }>(
        { actions, terminal, ...context },
        command,
      );
      const folders = named.map((folder) => resolve(terminal.cwd(), folder));
      const [first = ''] = folders;
      if (flags.print === true) {
        if (folders.length > 1) throw new UsageError('--print prints one statement: name one folder');
        terminal.stdout.write(await actions.signing.statement(first));
        return;
      }
      if (flags.key === undefined)
        throw new UsageError('name a key: --key FILE. To create one: ambit skills new-key FILE');
      const key = resolve(terminal.cwd(), flags.key);
      const signed = [];
      for (const folder of folders) signed.push(await actions.signing.sign(folder, key));
      if (print.json) print.document({ signed });
      else print.lines(...signed.map(({ name, digest }) => `Signed ${printableLine(name)}: ${digest}`));
    });
}

function addNewKey(skills: Command, context: CommandContext): void {
  skills
    .command('new-key')
    .summary('create a key to sign skills with')
    .description(
      'Create an Ed25519 key to sign skills with, in a new file that only you can read, and its public key beside it, in FILE.pub. Publish the public key, and keep the other one secret.',
    )
    .argument('<file>', 'a file that does not exist')
    .addHelpText('after', examples(['ambit skills new-key publisher.key', 'and publisher.key.pub']))
    .action(async (named: string, _options, command: Command) => {
      const { print } = flagsOf(context, command);
      const made = await context.actions.signing.newKey(resolve(context.terminal.cwd(), named));
      if (print.json) print.document(made);
      else
        print.lines(
          `Created ${printableLine(made.keyFile)}. Public key: ${printableLine(made.publicKeyFile)}`,
          `Its id: ed25519:${made.keyId}`,
        );
    });
}
