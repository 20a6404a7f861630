import { type CountTokens, estimateTokens } from '../../model-text/count-tokens.ts';
import { type Iteration, iterationPrompt } from '../iteration-prompt.ts';
import type { Composition } from './composition.ts';

/**
 * The composition for a turn of an agent's loop, or `fallback` if nothing was composed, as in
 * `iterationPrompt`. Either way the parts concatenate to the prompt.
 */
export function withFallback(
  composition: Composition,
  fallback: string,
  turn: Pick<Iteration, 'phase' | 'iteration'>,
  countTokens: CountTokens = estimateTokens,
): Composition {
  const prompt = iterationPrompt(fallback, { ...turn, skillsPrompt: composition.prompt });
  if (prompt === composition.prompt) return composition;
  const tokens = countTokens(prompt);
  return {
    prompt,
    tokens,
    parts: [
      {
        kind: 'base',
        origin: 'fallback prompt',
        because: 'nothing was composed',
        text: prompt,
        tokens,
        characters: prompt.length,
        order: 1,
        isCut: false,
      },
    ],
    get leftOut() {
      return composition.leftOut;
    },
    tools: composition.tools,
    mcpServers: composition.mcpServers,
    warnings: composition.warnings,
  };
}
