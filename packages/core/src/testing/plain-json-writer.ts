import { JsonText, type JsonWriter } from '../json/json-text.ts';

/** Serializes every value in this thread. */
export function plainJsonWriter(sha256: (content: Uint8Array) => string): JsonWriter {
  return {
    async write(value) {
      const bytes = new TextEncoder().encode(JSON.stringify(value) ?? 'null');
      return new JsonText(bytes, sha256(bytes));
    },
  };
}
