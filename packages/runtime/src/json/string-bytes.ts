/** The value of a JSON string, in UTF-8. */
export function stringBytes(json: Uint8Array): Uint8Array {
  return new TextEncoder().encode(JSON.parse(new TextDecoder().decode(json)));
}
