import { CodedError } from '@ambit/core/outcome';
import { shellWord } from './shell-word.ts';

type Untrusted = 'configuration' | "user's configuration" | 'data directory';

/** The reason for the lack of trust, and the folder to review or the command that corrects it. */
type Reason = { reason: string } & ({ folder: string } | { command: string });

/**
 * Ambit found a configuration or a data directory that the user does not trust, and did not use it. `details.command`
 * makes it trusted: for the terminal, not for an agent.
 */
export class UntrustedError extends CodedError<'CONFIG_UNTRUSTED'> {
  override readonly name = 'UntrustedError';
  readonly what: Untrusted;
  declare readonly details: { readonly path: string; readonly reason: string; readonly command: string };

  constructor(what: Untrusted, path: string, { reason, ...next }: Reason) {
    super(
      'CONFIG_UNTRUSTED',
      `the ${what} ${path} is not trusted, so Ambit does not use it: ${reason}. A person decides whether to trust it`,
      {
        details: {
          path,
          reason,
          command: 'command' in next ? next.command : `ambit trust ${shellWord(next.folder)}`,
        },
      },
    );
    this.what = what;
  }
}
