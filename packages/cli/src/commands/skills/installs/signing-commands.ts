import { resolve } from 'node:path';
import { UsageError } from '@ambit/core/outcome';
import { defineCommand } from '../../../command/define-command.ts';
import { printableLine } from '../../../output/printable.ts';

/** `ambit skills sign` and `new-key`, for the authors of skills. */
export const signingCommands = [
  defineCommand({
    name: 'skills sign',
    summary: 'sign skills that you publish',
    description:
      'Sign skills that you publish: write .ambit-signature.json into the folder of each. The file is not part of the skill. Sign again after each change. Operators verify it with your public key, as "publishers" in their configuration.',
    args: { folder: { text: 'the folders of the skills', variadic: true } },
    options: {
      key: { value: 'file', text: 'an Ed25519 private key in PEM; "ambit skills new-key" creates one' },
      print: { text: 'print what another program has to sign as a file, such as cosign, and write nothing' },
    },
    examples: {
      'ambit skills sign skills/* --key publisher.key': 'every skill of a repository',
      'ambit skills sign skills/pdf-forms --print | cosign sign-blob --bundle B.json -': 'with Sigstore',
    },
    async run({ terminal, print }, flags, { folder: named }) {
      const { signSkill, statementOf } = await import('@ambit/server/local');
      const folders = named.map((folder) => resolve(terminal.cwd(), folder));
      const [first = ''] = folders;
      if (flags.print === true) {
        if (folders.length > 1) throw new UsageError('--print prints one statement: name one folder');
        terminal.stdout.write(await statementOf(first));
        return;
      }
      if (flags.key === undefined)
        throw new UsageError('name a key: --key FILE. To create one: ambit skills new-key FILE');
      const key = resolve(terminal.cwd(), flags.key);
      const signed = [];
      for (const folder of folders) signed.push(await signSkill(folder, key));
      if (print.json) print.document({ signed });
      else print.lines(...signed.map(({ name, digest }) => `Signed ${printableLine(name)}: ${digest}`));
    },
  }),
  defineCommand({
    name: 'skills new-key',
    summary: 'create a key to sign skills with',
    description:
      'Create an Ed25519 key to sign skills with, in a new file that only you can read, and its public key beside it, in FILE.pub. Publish the public key, and keep the other one secret.',
    args: { file: { text: 'a file that does not exist' } },
    examples: { 'ambit skills new-key publisher.key': 'and publisher.key.pub' },
    async run({ terminal, print }, _flags, { file: named }) {
      const { createAuthorKey } = await import('@ambit/server/local');
      const made = await createAuthorKey(resolve(terminal.cwd(), named));
      if (print.json) print.document(made);
      else
        print.lines(
          `Created ${printableLine(made.keyFile)}. Public key: ${printableLine(made.publicKeyFile)}`,
          `Its id: ed25519:${made.keyId}`,
        );
    },
  }),
];
