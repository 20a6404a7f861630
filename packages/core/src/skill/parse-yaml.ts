import { CST, Lexer } from 'yaml';
import { readYaml } from './bounded-yaml.ts';
import { plainFields } from './plain-fields.ts';
import { largeYamlBounds, whyTooLarge, type YamlBounds, yamlBounds } from './yaml-bounds.ts';

/**
 * YAML above the limits for a skill. The message starts with a verb and follows the name of its
 * source.
 */
export class YamlTooLarge extends Error {}

/**
 * Parses a YAML document that starts after `linesBefore` lines of its file. Throws `YamlTooLarge`
 * before parsing, or an `Error` with the first mistake and its line and column. Logs nothing: the
 * library's warnings quote the document.
 *
 * Catalogs parse thousands of documents. Nearly all are plain fields, which need neither the size
 * check nor the parser.
 */
export function parseYaml(text: string, linesBefore = 0): unknown {
  const fields = plainFields(text);
  if (fields !== undefined) return fields;
  return parsed(text, yamlBounds, linesBefore);
}

/**
 * Like `parseYaml`, for the YAML of an operator, such as a configuration, which may be larger than a
 * sidecar. `repeats` is how often aliases may repeat a value.
 */
export function parseLargeYaml(text: string, repeats = largeYamlBounds.repeats): unknown {
  return parsed(text, { ...largeYamlBounds, repeats }, 0);
}

function parsed(text: string, bounds: YamlBounds, linesBefore: number): unknown {
  const tooLarge = whyTooLarge(text, bounds);
  if (tooLarge !== undefined) throw new YamlTooLarge(tooLarge);
  const { document, errors } = readYaml(text);
  const [first] = errors;
  if (first !== undefined) throw new Error(yamlMistake(text, first, linesBefore).sentence);
  return document?.toJS({ maxAliasCount: bounds.repeats });
}

/** A mistake in YAML: its line in the file, and a sentence with its place. */
interface YamlMistake {
  line: number;
  sentence: string;
}

/**
 * An error of the parser (`prettyErrors: false`) without its jargon. Other messages are unchanged.
 * An unclosed bracket is located where it opens, because the parser's place is the end of the text.
 */
export function yamlMistake(
  text: string,
  { message, pos: [offset] }: { message: string; pos: readonly [number, number] },
  linesBefore = 0,
): YamlMistake {
  const placeOf = (at: number): { line: number; place: string } => {
    const before = text.slice(0, at).split('\n');
    const line = linesBefore + before.length;
    return { line, place: `line ${line}, column ${(before.at(-1)?.length ?? 0) + 1}` };
  };
  const close = /^Flow (?:map|sequence)\b.* end with a ([\]}])/.exec(message)?.[1];
  if (close !== undefined) {
    const open = close === ']' ? '[' : '{';
    const { line, place } = placeOf(openBracket(text, open, offset) ?? offset);
    return { line, sentence: `the ${open} at ${place} is never closed; add a ${close}` };
  }
  const { line, place } = placeOf(offset);
  if (message.startsWith('Sequence item without - indicator')) {
    const sentence = `line ${line} is neither a new list item nor part of the one above: indent it like the first key of that item`;
    return { line, sentence };
  }
  const words = message
    .replace(
      'Nested mappings are not allowed in compact mappings',
      'a line has a second ": "; quote the value',
    )
    .replace(/^Unexpected [\w-]+ at node end$/, 'text follows a value that has ended; quote the whole value')
    .replace('Map keys must be unique', 'a key appears twice; merge the two');
  return { line, sentence: `${words} at ${place}` };
}

/** The offset of the last `open` bracket before `end` that is not closed there. */
function openBracket(text: string, open: '[' | '{', end: number): number | undefined {
  const opened: number[] = [];
  let offset = 0;
  let isText = false;
  for (const token of new Lexer().lex(text)) {
    // The content of a scalar follows a marker token and can look like anything.
    const type: CST.TokenType | 'text' | null = isText ? 'text' : CST.tokenType(token);
    isText = type === 'scalar';
    if (isMarker(type)) continue;
    if (offset >= end) break;
    const before = text[opened.at(-1) ?? -1];
    if (type === 'flow-seq-start' || type === 'flow-map-start') opened.push(offset);
    else if (type === 'flow-seq-end' && before === '[') opened.pop();
    else if (type === 'flow-map-end' && before === '{') opened.pop();
    offset += token.length;
  }
  return opened.findLast((at) => text[at] === open);
}

/** Whether the lexer inserts this token, so that it is not in the text. */
function isMarker(type: CST.TokenType | 'text' | null): boolean {
  return type === 'doc-mode' || type === 'flow-error-end' || type === 'scalar';
}
