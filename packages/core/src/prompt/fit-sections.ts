import { type CountTokens, estimateTokens } from './count-tokens.ts';

/** How a budget is kept: a section is in or out, or the first that does not fit is cut at the end of a line. */
export type Cut = 'whole' | 'at-line';

/** How sections are counted and cut. */
export interface FitOptions {
  /** Absent: `whole`. */
  cut?: Cut | undefined;
  countTokens?: CountTokens | undefined;
  /** The line that stands where a section was cut. */
  marker?: string | undefined;
}

/** A text that is to be in a prompt, as far as there is room. */
export interface Section {
  id: string;
  text: string;
  /** Lower comes first; absent: 50. Equal ones keep their order. */
  priority?: number | undefined;
}

/** What came of it. `kept` is in order of priority. */
export interface FittedSections {
  kept: { id: string; text: string; tokens: number; isCut: boolean }[];
  /** What did not fit, with what it would have taken. */
  skipped: { id: string; tokens: number }[];
  /** One sentence each. */
  warnings: string[];
}

const defaultMarker = '[cut here: the rest does not fit the token budget]';

/**
 * Keeps sections within `budgetTokens`, in order of priority. After the first that does not fit, no other is kept: a
 * larger budget then never takes away what a smaller one gave. With `cut: 'at-line'` that first one ends after the last
 * line that fits, with `marker` below. Each section is counted by itself. An absent budget is no bound; one that is no
 * number or below 0 is none either, with a warning.
 */
export function fitSections(
  sections: readonly Section[],
  budgetTokens: number | undefined,
  options: FitOptions = {},
): FittedSections {
  const { countTokens = estimateTokens } = options;
  const { budget, warnings } = readBudget(budgetTokens);
  const ordered = sections
    .toSorted((a, b) => (a.priority ?? 50) - (b.priority ?? 50))
    .map(({ id, text }) => ({ id, text, tokens: countTokens(text), tokensAround: 0 }));
  const { kept, skipped } = fitCounted(ordered, budget, options);
  return { kept, skipped, warnings };
}

/** A budget as it was asked for; what is no budget is no bound, and a warning. */
export function readBudget(asked: number | undefined): { budget: number; warnings: string[] } {
  if (asked === undefined) return { budget: Number.POSITIVE_INFINITY, warnings: [] };
  if (typeof asked === 'number' && asked >= 0) return { budget: asked, warnings: [] };
  const warning = `the token budget ${String(asked)} is not a number from 0 up; nothing was cut to a budget`;
  return { budget: Number.POSITIVE_INFINITY, warnings: [warning] };
}

/** A section whose tokens are known already. */
export interface CountedSection {
  id: string;
  text: string;
  /** Of the text. */
  tokens: number;
  /** Of what has to stand around it, cut or not. */
  tokensAround: number;
}

/** `fitSections` for sections in order. `tokens` of what is kept has what stands around it. */
export function fitCounted(
  sections: readonly CountedSection[],
  budget: number,
  { cut = 'whole', countTokens = estimateTokens, marker = defaultMarker }: FitOptions,
): Omit<FittedSections, 'warnings'> & { tokensLeft: number } {
  let tokensLeft = budget;
  const kept: FittedSections['kept'] = [];
  for (const { id, text, tokens, tokensAround } of sections) {
    if (tokens + tokensAround > tokensLeft) break;
    tokensLeft -= tokens + tokensAround;
    kept.push({ id, text, tokens: tokens + tokensAround, isCut: false });
  }
  const first = sections[kept.length];
  const isCut = cut === 'at-line' && first !== undefined;
  const part = isCut
    ? cutAtLine(first.text, tokensLeft - first.tokensAround, marker, countTokens)
    : undefined;
  if (first !== undefined && part !== undefined) {
    const tokens = part.tokens + first.tokensAround;
    tokensLeft -= tokens;
    kept.push({ id: first.id, text: part.text, tokens, isCut: true });
  }
  const skipped = sections
    .slice(kept.length)
    .map(({ id, tokens, tokensAround }) => ({ id, tokens: tokens + tokensAround }));
  return { kept, skipped, tokensLeft };
}

/** As many whole lines as fit with the marker below them; `undefined` when not even one does. */
function cutAtLine(
  text: string,
  budget: number,
  marker: string,
  countTokens: CountTokens,
): { text: string; tokens: number } | undefined {
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index + 1);
  let [fitting, tooMany] = [0, ends.length + 1];
  let found: { text: string; tokens: number } | undefined;
  while (tooMany - fitting > 1) {
    const lines = Math.floor((fitting + tooMany) / 2);
    const cut = text.slice(0, ends[lines - 1]) + marker;
    const tokens = countTokens(cut);
    if (tokens <= budget) [fitting, found] = [lines, { text: cut, tokens }];
    else tooMany = lines;
  }
  return found;
}
