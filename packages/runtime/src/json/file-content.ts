/** A file as a member of a JSON object. */
export interface FileContent<Value = string> {
  key: 'text' | 'base64';
  value: Value;
}

/** Text if the bytes are UTF-8 and JSON needs few escapes for them, else base64. */
export function fileContent(bytes: Uint8Array): FileContent {
  const text = isMostlyEscaped(bytes) ? undefined : utf8(bytes);
  return text === undefined
    ? { key: 'base64', value: Buffer.from(bytes).toString('base64') }
    : { key: 'text', value: text };
}

/**
 * Whether JSON would escape so many bytes as `\u0001` that base64 is shorter. An escape is six
 * times as long as its byte, base64 a third longer.
 */
function isMostlyEscaped(bytes: Uint8Array): boolean {
  let escapes = 0;
  // 8 to 13, except 11, have a short form such as \n.
  for (const byte of bytes) if (byte < 32 && (byte < 8 || byte === 11 || byte > 13)) escapes += 1;
  return escapes > bytes.length / 15;
}

/** Preserves a byte order mark. */
function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
