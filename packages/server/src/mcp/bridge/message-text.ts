import type { JSONRPCMessage } from '@modelcontextprotocol/server';

/** What ECMAScript has and TypeScript's library does not know yet. */
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };

/**
 * A message as it is passed on. A number beyond the largest stays one, so that the daemon refuses it and records that:
 * `JSON.stringify` would pass on `null`.
 */
export function messageText(message: JSONRPCMessage): string {
  return JSON.stringify(message, (_, value: unknown) => {
    if (value === Number.POSITIVE_INFINITY) return rawJSON('1e999');
    return value === Number.NEGATIVE_INFINITY ? rawJSON('-1e999') : value;
  });
}
