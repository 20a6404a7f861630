import { parse } from 'yaml';

/**
 * The value of a YAML document. Throws the library's error, which tells line and column.
 *
 * A third of its time goes into knowing where everything stood, so that it is asked for that only when something is
 * wrong: catalogs have thousands of these.
 */
export function parseYaml(text: string): unknown {
  try {
    return parse(text, { prettyErrors: false });
  } catch {
    return parse(text);
  }
}
