import type { Selection, SelectionRequest } from '@ambit/core';

type Select = (request: SelectionRequest) => Selection;

/** Few, because a selection explains every skill of the catalog. */
const selectionsMax = 16;
const keyCharactersMax = 2000;

/** Caches the latest selections: an agent makes the same request in each of its steps. */
export function cachedSelections(select: Select): Select {
  const cached = new Map<string, Selection>();
  return (request) => {
    const key = keyOf(request);
    const found = cached.get(key);
    const selection = found ?? select(request);
    if (key.length > keyCharactersMax) return selection;
    cached.delete(key);
    cached.set(key, selection);
    const [oldest] = cached.keys();
    if (cached.size > selectionsMax && oldest !== undefined) cached.delete(oldest);
    return selection;
  };
}

/** Equal for equal requests only. The type lists every field, so that a new one is not left out. */
function keyOf(request: SelectionRequest): string {
  const { phase, agent, tags, campaign, section, only, include, exclude, budgetTokens, mcpServers } = request;
  const fields: Record<keyof SelectionRequest, unknown> = {
    phase,
    agent,
    tags,
    campaign,
    section,
    only,
    include,
    exclude,
    mcpServers,
    // As text, because JSON has no infinite number.
    budgetTokens: budgetTokens === undefined ? undefined : String(budgetTokens),
  };
  return JSON.stringify(fields);
}
