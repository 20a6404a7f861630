/** `TextDecoder` piece by piece. Node's own takes more than one byte order mark away where pieces border on them. */
export function textDecoder(): (bytes: Uint8Array, options: { stream: boolean }) => string {
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
  let begun = false;
  return (bytes, options) => {
    const text = utf8.decode(bytes, options);
    if (begun || text === '') return text;
    begun = true;
    return text.replace(/^\ufeff/, '');
  };
}
