import { frontmatterBlock } from './frontmatter.ts';
import { plainFields } from './plain-fields.ts';
import { measureYaml, yamlBounds } from './yaml-bounds.ts';

/** Larger documents take a parser several milliseconds, too long for the event loop. */
const cheap = { ...yamlBounds, characters: 8192, tokens: 1500 };

/**
 * The cost of parsing the YAML of a skill, in tokens: 0 for plain fields, infinite if one of its
 * texts has more than 1,500 tokens or 8,192 characters. Callers use it to decide whether to parse
 * on the event loop. The sidecar and other files are `undefined` for a skill without them.
 */
export function yamlCost(skillMd: string, ...files: readonly (string | undefined)[]): number {
  return files.reduce((sum, text) => sum + costOf(text ?? ''), costOf(frontmatterBlock(skillMd)?.yaml ?? ''));
}

function costOf(yaml: string): number {
  if (yaml === '' || plainFields(yaml) !== undefined) return 0;
  if (yaml.length > cheap.characters) return Number.POSITIVE_INFINITY;
  const { tokens } = measureYaml(yaml, cheap);
  return tokens > cheap.tokens ? Number.POSITIVE_INFINITY : tokens;
}
