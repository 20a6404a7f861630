import type { JSONRPCMessage } from '@modelcontextprotocol/server';

/** Part of ECMAScript, but not yet of TypeScript's library. */
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };

/**
 * A message in JSON. An infinite number is written as `1e999`, so that the daemon refuses it with a
 * record; `JSON.stringify` would write `null`.
 */
export function messageText(message: JSONRPCMessage): string {
  return JSON.stringify(message, (_, value: unknown) => {
    if (value === Number.POSITIVE_INFINITY) return rawJSON('1e999');
    return value === Number.NEGATIVE_INFINITY ? rawJSON('-1e999') : value;
  });
}
