import { UsageError } from '@ambit/core/outcome';

/**
 * Refuses a command line that contains an API key, an invitation, or a URL with a password: every user of the machine can read
 * the arguments of a running command, and shells store them. The data of a call, which is `--input`, `--context` and everything
 * after `--`, is not searched: the caller chooses it, and can pass it on stdin. Throws `USAGE_INVALID` without repeating the
 * argument.
 */
export function refuseSecretArguments(argv: readonly string[]): void {
  const end = argv.indexOf('--');
  const options = end === -1 ? argv : argv.slice(0, end);
  for (const [place, argument] of options.entries()) {
    if (data.has(options[place - 1] ?? '') || data.has(argument.split('=', 1)[0] ?? '')) continue;
    const found = secrets.find(({ shape }) => shape.test(argument));
    if (found === undefined) continue;
    throw new UsageError(
      `an argument contains ${found.what}. Every user of this machine can read arguments, so nothing was started. ${found.fix}`,
    );
  }
}

const data: ReadonlySet<string> = new Set(['--input', '--context']);

const secrets = [
  {
    what: 'an API key',
    shape: /ambit_[A-Za-z0-9_-]{20,}/,
    fix: 'Pass a file that contains the key with --key-file, or set AMBIT_KEY. Revoke this key: it may have been read',
  },
  {
    what: 'an invitation',
    shape: /ambit-join-[A-Za-z0-9_-]/,
    fix: 'Run "ambit cluster join" and paste the invitation at its prompt, pass it on stdin, or pass its file with --invitation-file. Create another with "ambit cluster invite": this one may have been read',
  },
  {
    what: 'a URL with a password',
    shape: /:\/\/[^\s/?#@]*:[^\s/?#@]+@/,
    fix: 'Remove the password from the URL, and replace it: it may have been read',
  },
] as const;
