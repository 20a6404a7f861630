/**
 * A `TextDecoder` for pieces. Node's own removes more than one byte order mark if pieces begin with
 * one.
 */
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
