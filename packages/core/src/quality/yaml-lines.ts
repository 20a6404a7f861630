import { type Document, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, type YAMLError } from 'yaml';
import { readYaml } from '../skill/bounded-yaml.ts';
import { yamlMistake } from '../skill/parse-yaml.ts';
import { whyTooLarge, yamlBounds } from '../skill/yaml-bounds.ts';

interface YamlProblem {
  line: number;
  message: string;
}

/** A YAML document with line numbers. */
export interface YamlLines {
  /** Its value; `undefined` if there are problems. */
  value: unknown;
  /** The first syntax errors. Empty: valid YAML. */
  problems: readonly YamlProblem[];
  /** Parser warnings, such as an unknown tag. */
  warnings: readonly YamlProblem[];
  /** The line of the key or item at a path, or of its nearest ancestor that exists. */
  lineOf(path: readonly PropertyKey[]): number;
}

/**
 * Parses a document that starts after `linesBefore` lines of its file; line numbers refer to the
 * file. A document that is too large (`whyTooLarge`) counts as empty here. Never throws.
 */
export function yamlLines(text: string, linesBefore = 0): YamlLines {
  const counter = new LineCounter();
  const read = whyTooLarge(text) === undefined ? text : '';
  const { document, errors, warnings } = readYaml(read, counter);
  const lineAt = (offset: number): number => linesBefore + counter.linePos(offset).line;
  const located = ({ pos, message }: YAMLError): YamlProblem => ({ line: lineAt(pos[0]), message });
  const problems = errors.map((error) => {
    const { line, sentence } = yamlMistake(read, error, linesBefore);
    return { line, message: sentence };
  });
  const { value, flaw } = problems.length === 0 && document !== undefined ? plainValue(document) : {};
  const around = Math.max(1, linesBefore);
  return {
    value,
    problems: flaw === undefined ? problems : [{ line: around, message: flaw }],
    warnings: warnings.map(located),
    lineOf: (path) => {
      let node: unknown = document?.contents;
      let line = around;
      for (const step of path) {
        const whole = document !== undefined && isAlias(node) ? node.resolve(document) : node;
        const { place, inner } = within(whole, step);
        if (!isNode(place) || !place.range) return line;
        line = lineAt(place.range[0]);
        node = inner;
      }
      return line;
    },
  };
}

/**
 * Aliases can expand without limit, refer to nothing, or contain themselves, which JSON cannot
 * express.
 */
function plainValue(document: Document): { value?: unknown; flaw?: string } {
  try {
    const value: unknown = document.toJS({ maxAliasCount: yamlBounds.repeats });
    JSON.stringify(value);
    return { value };
  } catch (error) {
    return { flaw: (error as Error).message.split('\n', 1)[0] ?? '' };
  }
}

function within(node: unknown, step: PropertyKey): { place?: unknown; inner?: unknown } {
  if (isSeq(node)) return { place: node.items[Number(step)], inner: node.items[Number(step)] };
  if (!isMap(node)) return {};
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
  return { place: pair?.key, inner: pair?.value };
}
