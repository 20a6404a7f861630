import { CodedError } from '@ambit/core/outcome';
import { shellWord } from './shell-word.ts';

/**
 * Ambit found a configuration or a data directory that the user does not trust, and did not use it. `details.command`
 * reviews and trusts it: for the terminal, not for an agent.
 */
export class UntrustedError extends CodedError<'CONFIG_UNTRUSTED'> {
  override readonly name = 'UntrustedError';
  readonly what: 'configuration' | 'data directory';
  declare readonly details: { readonly path: string; readonly reason: string; readonly command: string };

  constructor(what: 'configuration' | 'data directory', path: string, folder: string, reason: string) {
    super(
      'CONFIG_UNTRUSTED',
      `the ${what} ${path} is not trusted, so Ambit does not use it: ${reason}. A person decides whether to trust it`,
      { details: { path, reason, command: `ambit trust ${shellWord(folder)}` } },
    );
    this.what = what;
  }
}
