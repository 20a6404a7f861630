import { parseDocument } from 'yaml';
import { plainFields } from './plain-fields.ts';
import { whyTooLarge, yamlBounds } from './yaml-bounds.ts';

/**
 * YAML above the limits for a skill. The message starts with a verb and follows the name of its
 * source.
 */
export class YamlTooLarge extends Error {}

/**
 * Parses a YAML document. Throws `YamlTooLarge` before parsing, or an `Error` with the first
 * mistake and its line and column. Logs nothing: the library's warnings quote the document.
 *
 * Catalogs parse thousands of documents. Nearly all are plain fields, which need neither the size
 * check nor the parser.
 */
export function parseYaml(text: string): unknown {
  const fields = plainFields(text);
  if (fields !== undefined) return fields;
  const tooLarge = whyTooLarge(text);
  if (tooLarge !== undefined) throw new YamlTooLarge(tooLarge);
  const document = parseDocument(text, { prettyErrors: false, logLevel: 'error' });
  const [first] = document.errors;
  if (first !== undefined) throw new Error(`${yamlMistake(first.message)} at ${placeOf(text, first.pos[0])}`);
  return document.toJS({ maxAliasCount: yamlBounds.repeats });
}

/** The parser's message without its jargon. Other messages are unchanged. */
export function yamlMistake(message: string): string {
  return message
    .replace(
      /^Flow (?:map|sequence)\b.* end with a ([\]}])/,
      (_, end) => `a ${end === ']' ? '[' : '{'} is not closed`,
    )
    .replace(
      'Nested mappings are not allowed in compact mappings',
      'a line has a second ": "; quote the value',
    )
    .replace('Map keys must be unique', 'a key appears twice; merge the two');
}

function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}
