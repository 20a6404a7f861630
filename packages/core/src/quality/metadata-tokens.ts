import type { CountTokens } from '../prompt/count-tokens.ts';
import type { SkillManifest } from '../skill/manifest.ts';

/**
 * The tokens that a skill costs every prompt that lists it: its name and description, without
 * markup.
 */
export function metadataTokens(
  { name, description }: Pick<SkillManifest, 'name' | 'description'>,
  countTokens: CountTokens,
): number {
  return countTokens(`${name}: ${description}`);
}
