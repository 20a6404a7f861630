import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

/** One page of a list that is in order of `key`, and where the next one begins; absent: this was the last. */
export interface Page<Item> {
  items: Item[];
  nextCursor?: string;
}

/**
 * The page after `cursor`. A cursor is the key of the last item before it, so that a list may change between two pages
 * and nothing that stays is left out. Throws `-32602` for one that none of our pages ended with.
 */
export function pageOf<Item>(
  items: readonly Item[],
  key: (item: Item) => string,
  cursor: string | undefined,
  most: number,
): Page<Item> {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const sorted = items.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
  const rest = after === undefined ? sorted : sorted.filter((item) => key(item) > after);
  const page = rest.slice(0, most);
  const last = page.at(-1);
  if (rest.length <= most || last === undefined) return { items: page };
  return { items: page, nextCursor: Buffer.from(key(last)).toString('base64url') };
}

function readCursor(cursor: string): string {
  const key = Buffer.from(cursor, 'base64url');
  if (cursor !== '' && key.toString('base64url') === cursor) return key.toString();
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    'the cursor is not one that this server gave; leave it out to begin again',
  );
}
