/** Encoded, this many characters are few enough to turn up by chance. */
const encodedCharactersLeast = 8;

/** A value as it may come back: raw, hexadecimal, escaped for a URL, a form or JSON, and in base64 whatever stands around it. */
export function secretForms(value: string): Buffer[] {
  if (value === '') return [];
  const bytes = Buffer.from(value);
  const escaped = encodeURIComponent(value);
  const encoded = [
    escaped,
    escaped.replace(/%[0-9A-F]{2}/g, (octet) => octet.toLowerCase()),
    escaped.replaceAll('%20', '+'),
    JSON.stringify(value).slice(1, -1),
    // As servers send it that take headers for Latin-1.
    bytes.toString('latin1'),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    ...[0, 1, 2].flatMap((offset) => base64Within(bytes, offset)),
  ].filter((form) => form.length >= encodedCharactersLeast);
  return [...new Set([value, ...encoded])].map((form) => Buffer.from(form));
}

/** The characters that are the same whatever `offset` bytes, modulo three, stand before and whatever follows. */
function base64Within(bytes: Buffer, offset: number): string[] {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  const inner = text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
  return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
}
