import { InstallError } from '../install-error.ts';

/** JSON from a server. `what` begins the message. Throws `SOURCE_DAMAGED`. */
export function jsonOf(what: string, bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new InstallError(
      'SOURCE_DAMAGED',
      `${what} is not JSON: ${(cause as Error).message.slice(0, 200)}`,
      {
        cause,
      },
    );
  }
}
