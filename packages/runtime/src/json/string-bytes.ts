/** The text that a JSON string stands for, in UTF-8. */
export function stringBytes(json: Uint8Array): Uint8Array {
  return new TextEncoder().encode(JSON.parse(new TextDecoder().decode(json)));
}
