import { UnsendableError } from '../failure/unsendable-error.ts';

/** The address of a daemon and the key for it, as they are sent. */
export interface DaemonOf {
  url: string;
  key: string | undefined;
}

/**
 * Validates both before anything is sent. Throws an `UnsendableError` that repeats neither, because
 * either may contain a secret; the message of `fetch` would contain them.
 */
export function daemonOf({ url, key }: { url: string; key?: string | undefined }): DaemonOf {
  const where = URL.canParse(url) ? new URL(url) : undefined;
  if (where === undefined || !/^https?:$/.test(where.protocol))
    throw new UnsendableError('url is not the address of a daemon: write it as http://127.0.0.1:7433');
  if (where.username !== '' || where.password !== '')
    throw new UnsendableError('url contains a user name or a password: remove them, and pass the key as key');
  if (/[?#]/.test(url))
    throw new UnsendableError('url has a query or a fragment: remove everything after ? or #');
  // A key read from a file ends with a line break.
  const bare = key?.trim();
  if (bare !== undefined && !isKey(bare))
    throw new UnsendableError('key is empty or contains an invalid character: pass one line, complete');
  return { url, key: bare };
}

/** Whether a text can be a key: visible ASCII on one line. */
export function isKey(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
