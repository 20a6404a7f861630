import { frontmatterBlock } from './frontmatter.ts';
import { plainFields } from './plain-fields.ts';
import { measureYaml, yamlBounds } from './yaml-bounds.ts';

/** Larger documents take a parser several milliseconds, too long for the event loop. */
const cheap = { ...yamlBounds, characters: 8192, tokens: 1500 };

/**
 * The cost of parsing the YAML of a skill, in tokens: 0 for plain fields, infinite if one of its
 * texts has more than 1,500 tokens or 8,192 characters. Callers use it to decide whether to parse
 * on the event loop. `sidecar` is `undefined` for a skill without one.
 */
export function yamlCost(skillMd: string, sidecar: string | undefined): number {
  return costOf(frontmatterBlock(skillMd)?.yaml ?? '') + costOf(sidecar ?? '');
}

function costOf(yaml: string): number {
  if (yaml === '' || plainFields(yaml) !== undefined) return 0;
  if (yaml.length > cheap.characters) return Number.POSITIVE_INFINITY;
  const { tokens } = measureYaml(yaml, cheap);
  return tokens > cheap.tokens ? Number.POSITIVE_INFINITY : tokens;
}
