import { cutSkillFile } from './frontmatter.ts';
import { plainFields } from './plain-fields.ts';
import { measureYaml } from './yaml-bounds.ts';

/** What has more takes a parser longer than the milliseconds that a thread others wait for can spare. */
const cheap = { characters: 8192, tokens: 1500 };

/**
 * What parsing the YAML of a skill costs, in tokens: 0 for plain fields, infinite where one of its texts has more than 1,500
 * tokens or 8,192 characters. Tells a caller whose thread others wait for whether to parse it there. `sidecar` is `undefined`
 * for a skill without one.
 */
export function yamlCost(skillMd: string, sidecar: string | undefined): number {
  return costOf(frontmatterOf(skillMd)) + costOf(sidecar ?? '');
}

/** Empty for a file without frontmatter, or whose frontmatter does not end: nothing of it is parsed. */
function frontmatterOf(skillMd: string): string {
  try {
    return cutSkillFile(skillMd).yaml ?? '';
  } catch {
    return '';
  }
}

function costOf(yaml: string): number {
  if (yaml === '' || plainFields(yaml) !== undefined) return 0;
  if (yaml.length > cheap.characters) return Number.POSITIVE_INFINITY;
  const { tokens } = measureYaml(yaml, cheap.tokens);
  return tokens > cheap.tokens ? Number.POSITIVE_INFINITY : tokens;
}
