import { parseDocument } from 'yaml';
import { plainFields } from './plain-fields.ts';
import { whyTooLarge, yamlBounds } from './yaml-bounds.ts';

/** More YAML than is read of a skill. The message says what there is too much of, and follows the name of what it is in. */
export class YamlTooLarge extends Error {}

/**
 * The value of a YAML document. Throws `YamlTooLarge` before anything is parsed, and an `Error` whose message tells what is
 * wrong first, with line and column. Prints nothing: the library's warnings quote the document.
 *
 * Catalogs have thousands of these, nearly all of them plain fields, which need neither to be measured nor a parser.
 */
export function parseYaml(text: string): unknown {
  const fields = plainFields(text);
  if (fields !== undefined) return fields;
  const tooLarge = whyTooLarge(text);
  if (tooLarge !== undefined) throw new YamlTooLarge(tooLarge);
  const document = parseDocument(text, { prettyErrors: false, logLevel: 'error' });
  const [first] = document.errors;
  if (first !== undefined) throw new Error(`${first.message} at ${placeOf(text, first.pos[0])}`);
  return document.toJS({ maxAliasCount: yamlBounds.repeats });
}

function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}
