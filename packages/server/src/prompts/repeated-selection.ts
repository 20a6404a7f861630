import type { Selection, SelectionRequest } from '@ambit/core';

type Select = (request: SelectionRequest) => Selection;

/** An agent asks for the same selection in each of its steps. Explanations list all skills of a catalog. */
const selectionsMax = 16;
const keyCharactersMax = 2000;

/** Returns the same selection for equal requests, as far as it is among the latest ones. */
export function repeatedSelection(select: Select): Select {
  const known = new Map<string, Selection>();
  return (request) => {
    const key = keyOf(request);
    const found = known.get(key);
    const selection = found ?? select(request);
    if (key.length > keyCharactersMax) return selection;
    known.delete(key);
    known.set(key, selection);
    const [oldest] = known.keys();
    if (known.size > selectionsMax && oldest !== undefined) known.delete(oldest);
    return selection;
  };
}

/** Equal for equal requests only. */
function keyOf({
  phase,
  agent,
  tags,
  campaign,
  section,
  only,
  include,
  exclude,
  budgetTokens,
  mcpServers,
}: SelectionRequest): string {
  // As text, because JSON has no infinite number.
  const budget = budgetTokens === undefined ? undefined : String(budgetTokens);
  const named = { phase, agent, tags, campaign, section, only, include, exclude };
  return JSON.stringify({ ...named, budget, mcpServers });
}
