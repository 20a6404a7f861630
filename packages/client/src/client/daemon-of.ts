import { UnsendableError } from '../failure/unsendable-error.ts';

/** Where a daemon is, and the key for it, in the form in which they are sent. */
export interface DaemonOf {
  url: string;
  key: string | undefined;
}

/**
 * Checks both before anything is sent. Throws an `UnsendableError` that repeats neither: either may hold a secret, and what `fetch`
 * would throw has them in its message.
 */
export function daemonOf({ url, key }: { url: string; key?: string | undefined }): DaemonOf {
  const where = URL.canParse(url) ? new URL(url) : undefined;
  if (where === undefined || !/^https?:$/.test(where.protocol))
    throw new UnsendableError('url is no address of a daemon: write it as http://127.0.0.1:7433');
  if (where.username !== '' || where.password !== '')
    throw new UnsendableError('url has a user or a password in it: leave them out, and give the key as key');
  if (/[?#]/.test(url))
    throw new UnsendableError('url has a query or a fragment: leave out what follows ? or #');
  // A file that is read whole ends with a line break.
  const bare = key?.trim();
  if (bare !== undefined && !isKey(bare))
    throw new UnsendableError(
      'key is empty, or has a character that no key has: see whether it is the whole of one line',
    );
  return { url, key: bare };
}

/** Whether a text can be a key: visible ASCII on one line. */
export function isKey(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
