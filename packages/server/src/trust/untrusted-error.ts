import { shellWord } from './shell-word.ts';

/**
 * Ambit found a configuration or a data directory that the user does not trust, and did not use it. `details.command`
 * reviews and trusts it: for the terminal, not for an agent.
 */
export class UntrustedError extends Error {
  override readonly name = 'UntrustedError';
  readonly code = 'CONFIG_UNTRUSTED';
  readonly what: 'configuration' | 'data directory';
  readonly details: { readonly path: string; readonly reason: string; readonly command: string };

  constructor(what: 'configuration' | 'data directory', path: string, folder: string, reason: string) {
    const command = `ambit trust ${shellWord(folder)}`;
    super(
      `the ${what} ${path} is not trusted, so Ambit does not use it: ${reason}. A person decides whether to trust it`,
    );
    this.what = what;
    this.details = { path, reason, command };
  }
}
