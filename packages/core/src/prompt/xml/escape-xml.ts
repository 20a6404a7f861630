import { referenceMarkup } from '../../model-text/reserved-markup.ts';
import { visibleText } from '../../model-text/visible-text.ts';

/**
 * Text of a skill as the content of an XML element, as a person sees it (`visibleText`). Escaped is as little as XML
 * needs, so that code stays readable to a model: `&` and `<`, the `>` of `]]>`, and the carriage return, which a parser
 * would make a line feed. The bracket of markup that only looks like a tag, and of `[INST]`, is a reference too. What
 * XML 1.0 cannot hold (lone surrogates, U+FFFE and U+FFFF; section 2.2) becomes U+FFFD.
 */
export function xmlText(text: string): string {
  return escaped(text, notText);
}

/** The same for an attribute in double quotes; line feeds and tabs, which a parser would make blanks, are references. */
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
