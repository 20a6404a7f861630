/** A file as a member of a JSON object. */
export interface FileContent<Value = string> {
  key: 'text' | 'base64';
  value: Value;
}

/** As text where its bytes are UTF-8 and JSON writes most of them unescaped, else in base64. */
export function fileContent(bytes: Uint8Array): FileContent {
  const text = isSpelledOut(bytes) ? undefined : utf8(bytes);
  return text === undefined
    ? { key: 'base64', value: Buffer.from(bytes).toString('base64') }
    : { key: 'text', value: text };
}

/** Whether JSON would have to write so many of the bytes as `\u0001` that base64 is shorter: by a third, and not by six. */
function isSpelledOut(bytes: Uint8Array): boolean {
  let spelled = 0;
  // 8 to 13, but for 11, have a short form, as \n has.
  for (const byte of bytes) if (byte < 32 && (byte < 8 || byte === 11 || byte > 13)) spelled += 1;
  return spelled > bytes.length / 15;
}

/** A byte order mark is kept. */
function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
