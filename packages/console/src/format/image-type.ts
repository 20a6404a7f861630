/** First bytes of images that are pixels alone, as Latin-1. SVG is not one of them: it is a document. */
const starts: readonly [type: string, start: RegExp][] = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are bytes
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF....WEBP/s],
];

/** The type of an image in base64, by its first bytes and never by its name. `undefined`: it is none that the page shows. */
export function imageTypeOf(base64: string): string | undefined {
  const first = atob(base64.slice(0, 24));
  return starts.find(([, start]) => start.test(first))?.[0];
}
