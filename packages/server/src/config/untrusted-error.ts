import { shellWord } from './shell-word.ts';

/**
 * Ambit found a configuration or a data directory that the user does not trust. Nothing of it is in force.
 * `details.command` is the command to review and trust it.
 */
export class UntrustedError extends Error {
  override readonly name = 'UntrustedError';
  readonly code = 'CONFIG_UNTRUSTED';
  readonly details: { readonly path: string; readonly reason: string; readonly command: string };

  constructor(what: 'configuration' | 'data directory', path: string, folder: string, reason: string) {
    const command = `ambit trust ${shellWord(folder)}`;
    super(
      `the ${what} ${path} is not trusted: ${reason}. Nothing in it is in force. ` +
        `Review it, and trust it, with: ${command}`,
    );
    this.details = { path, reason, command };
  }
}
