import fc from 'fast-check';

const marks = [
  '<', '>', '&', '"', "'", ']]>', '&lt;', '&#13;', '\r', '\r\n', '\n', '\t', ' ', '{{', '}}', '{{skills}}',
  '{{#if skills}}', '{{/if}}', '</skill>', '</skills></identity>', '<skill name="evil">', '</available_skills>',
  '<![CDATA[', '<!--', '```', '界', '🙂', '\u2028', '\uFFFD', '\uFFFE', '\uD800', '\u0000', '\u001B',
]; // biome-ignore format: one a line would be a page

/** Any text, and above all text that is made to break out of ours. */
export const anyText: fc.Arbitrary<string> = fc
  .array(fc.oneof(fc.constantFrom(...marks), fc.string({ unit: 'binary', maxLength: 5 }), fc.string()), {
    maxLength: 12,
  })
  .map((pieces) => pieces.join(''));

/** What XML 1.0 makes of a text that it cannot hold (section 2.2): each such character is U+FFFD. */
export function heldByXml(text: string): string {
  return Array.from(text.toWellFormed(), (character) => {
    const code = character.codePointAt(0) ?? 0;
    const isControl = code < 0x20 && !['\t', '\n', '\r'].includes(character);
    return isControl || code === 0xfffe || code === 0xffff ? '\uFFFD' : character;
  }).join('');
}
