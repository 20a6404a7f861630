/**
 * A module of these sections, for features that the test's text format does not support. Each
 * section is shorter than 128 bytes.
 */
export function moduleFromSections(sections: readonly [id: number, content: number[]][]): Uint8Array {
  const magicAndVersion = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
  return Uint8Array.from([
    ...magicAndVersion,
    ...sections.flatMap(([id, content]) => [id, content.length, ...content]),
  ]);
}
