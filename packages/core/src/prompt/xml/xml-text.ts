import { referenceMarkup } from '../../model-text/reserved-markup.ts';
import { visibleText } from '../../model-text/visible-text.ts';

/**
 * A skill's text as the content of an XML element, without hidden characters (`visibleText`).
 * Escapes only what XML needs, so that code stays readable to a model: `&`, `<`, the `>` of `]]>`,
 * and the carriage return, which a parser would turn into a line feed. The brackets of look-alike
 * markup and of `[INST]` are escaped too. Characters that XML 1.0 forbids (lone surrogates, U+FFFE
 * and U+FFFF; section 2.2) become U+FFFD.
 */
export function xmlText(text: string): string {
  return escaped(text, notText);
}

/**
 * The same for an attribute in double quotes. Line feeds and tabs, which a parser would turn into
 * blanks, are escaped.
 */
export function xmlAttribute(text: string): string {
  return escaped(text, notAttribute);
}

function escaped(text: string, special: RegExp): string {
  return referenceMarkup(visibleText(text).replace(special, (found) => references[found] ?? '\uFFFD'));
}

const notText = /[&<\r]|\]\]>|[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const notAttribute = /[&<"\t\n\r]|[^\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

const references: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  ']]>': ']]&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};
