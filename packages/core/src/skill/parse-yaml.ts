import { parse } from 'yaml';
import { plainFields } from './plain-fields.ts';

/**
 * The value of a YAML document. Throws the library's error, which tells line and column.
 *
 * Catalogs have thousands of these, nearly all of them plain fields, which need no parser; and a third of the parser's
 * time goes into knowing where everything stood, so that it is asked for that only when something is wrong.
 */
export function parseYaml(text: string): unknown {
  const fields = plainFields(text);
  if (fields !== undefined) return fields;
  try {
    return parse(text, { prettyErrors: false });
  } catch {
    return parse(text);
  }
}
