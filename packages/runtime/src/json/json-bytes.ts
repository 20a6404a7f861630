import { JsonText } from '@ambit/core';

/** What a program gets as its input. */
export function jsonBytes(value: unknown): Uint8Array {
  return value instanceof JsonText ? value.bytes : new TextEncoder().encode(JSON.stringify(value));
}
