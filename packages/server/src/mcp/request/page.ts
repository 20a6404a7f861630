import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

/**
 * One page of a list ordered by `key`. `nextCursor` starts the next page; absent on the last one.
 */
export interface Page<Item> {
  items: Item[];
  nextCursor?: string;
}

/**
 * The page after `cursor`. A cursor is the key of the last item before it, so a list that changes
 * between two pages loses no remaining item. Throws `-32602` for an invalid cursor.
 */
export function pageOf<Item>(
  items: readonly Item[],
  key: (item: Item) => string,
  cursor: string | undefined,
  max: number,
): Page<Item> {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const sorted = items.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
  const rest = after === undefined ? sorted : sorted.filter((item) => key(item) > after);
  const page = rest.slice(0, max);
  const last = page.at(-1);
  if (rest.length <= max || last === undefined) return { items: page };
  return { items: page, nextCursor: Buffer.from(key(last)).toString('base64url') };
}

function readCursor(cursor: string): string {
  const key = Buffer.from(cursor, 'base64url');
  if (cursor !== '' && key.toString('base64url') === cursor) return key.toString();
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    'the cursor is invalid; leave it out to start from the first page',
  );
}
