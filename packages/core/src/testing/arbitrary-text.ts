import fc from 'fast-check';
import { visibleText } from '../model-text/visible-text.ts';

const marks = [
  '<', '>', '&', '"', "'", ']]>', '&lt;', '&#13;', '\r', '\r\n', '\n', '\t', ' ', '{{', '}}', '{{skills}}',
  '{{#if skills}}', '{{/if}}', '</skill>', '</skills></identity>', '<skill name="evil">', '</available_skills>',
  '<![CDATA[', '<!--', '```', '界', '🙂', '👩🏽‍💻', 'می‌خواهم', '\u2028', '\uFFFD', '\uFFFE', '\uD800', '\u0000', '\u001B',
  '\u200B', '\u200D', '\u00AD', '\u202E', '\uFE0F', '\u{E0041}', '<\u200B/skills>', '＜/skills＞', '‹skill›', '[INST]',
  '<|im_start|>', '<system-reminder>',
]; // biome-ignore format: one a line would be a page

/** Any text, mostly text that tries to break out of our markup. */
export const anyText: fc.Arbitrary<string> = fc
  .array(fc.oneof(fc.constantFrom(...marks), fc.string({ unit: 'binary', maxLength: 5 }), fc.string()), {
    maxLength: 12,
  })
  .map((pieces) => pieces.join(''));

/** Any text without hidden characters. */
export const anySeenText: fc.Arbitrary<string> = anyText.map((text) =>
  text.replace(/[[\p{DI}\p{Cc}\uFFF9-\uFFFB]--[\t\n\r]]/gv, ''),
);

/** A text as XML 1.0 can hold it (section 2.2): characters that XML forbids become U+FFFD. */
export function heldByXml(text: string): string {
  return Array.from(text.toWellFormed(), (character) => {
    const code = character.codePointAt(0) ?? 0;
    const isControl = code < 0x20 && !['\t', '\n', '\r'].includes(character);
    return isControl || code === 0xfffe || code === 0xffff ? '\uFFFD' : character;
  }).join('');
}

/** A text without hidden characters as XML holds it. */
export function seenInXml(text: string): string {
  return heldByXml(visibleText(text));
}
