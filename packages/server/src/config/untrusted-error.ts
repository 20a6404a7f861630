import { shellWord } from './shell-word.ts';

/**
 * A configuration or a data directory was found, and its user has not said that it counts. Nothing of it is in force.
 * `details.command` is what to type after a look at it.
 */
export class UntrustedError extends Error {
  override readonly name = 'UntrustedError';
  readonly code = 'CONFIG_UNTRUSTED';
  readonly details: { readonly path: string; readonly reason: string; readonly command: string };

  constructor(what: 'configuration' | 'data directory', path: string, folder: string, reason: string) {
    const command = `ambit trust ${shellWord(folder)}`;
    super(
      `the ${what} ${path} is not trusted: ${reason}. Nothing in it is in force. ` +
        `To see what it would allow, and to trust it: ${command}`,
    );
    this.details = { path, reason, command };
  }
}
