import { type CountTokens, estimateTokens } from '../model-text/count-tokens.ts';

/**
 * `whole`: a section is in or out. `at-line`: the first that does not fit is cut at the end of a
 * line.
 */
export type Cut = 'whole' | 'at-line';

/** The functions that count and cut sections. */
export interface FitOptions {
  /** Absent: `whole`. */
  cut?: Cut | undefined;
  countTokens?: CountTokens | undefined;
  /** The line that marks a cut. */
  marker?: string | undefined;
}

/** A text for a prompt. */
export interface Section {
  id: string;
  text: string;
  /** Lower values come first; default 50. Equal ones keep their order. */
  priority?: number | undefined;
}

/** The result. `included` is in order of priority. */
export interface FittedSections {
  included: { id: string; text: string; tokens: number; isCut: boolean }[];
  /** Sections that did not fit, with their tokens. */
  skipped: { id: string; tokens: number }[];
  /** One sentence each. */
  warnings: string[];
}

const defaultMarker = '[cut here: the rest does not fit the token budget]';

/**
 * Fits sections into `budgetTokens`, in order of priority. After the first that does not fit, none
 * is included, so a larger budget never drops what a smaller one includes. With `cut: 'at-line'`, the
 * first of them is cut after the last line that fits, followed by `marker`. Each section is counted
 * separately. An absent budget is no limit; an invalid one (negative, or not a number) is none
 * either, with a warning.
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
  const { included, skipped } = fitCounted(ordered, budget, options);
  return { included, skipped, warnings };
}

/** Validates a budget. An invalid one means no limit, with a warning. */
export function readBudget(given: number | undefined): { budget: number; warnings: string[] } {
  if (given === undefined) return { budget: Number.POSITIVE_INFINITY, warnings: [] };
  if (typeof given === 'number' && given >= 0) return { budget: given, warnings: [] };
  const warning = `the token budget ${String(given)} is ignored; write a number of 0 or more`;
  return { budget: Number.POSITIVE_INFINITY, warnings: [warning] };
}

/** A section whose tokens are known. */
export interface CountedSection {
  id: string;
  text: string;
  /** The tokens of the text. */
  tokens: number;
  /** The tokens of the text around it, cut or not. */
  tokensAround: number;
}

/**
 * `fitSections` for sections in order. The `tokens` of included sections include what surrounds them.
 */
export function fitCounted(
  sections: readonly CountedSection[],
  budget: number,
  { cut = 'whole', countTokens = estimateTokens, marker = defaultMarker }: FitOptions,
): Omit<FittedSections, 'warnings'> & { tokensLeft: number } {
  let tokensLeft = budget;
  const included: FittedSections['included'] = [];
  for (const { id, text, tokens, tokensAround } of sections) {
    if (tokens + tokensAround > tokensLeft) break;
    tokensLeft -= tokens + tokensAround;
    included.push({ id, text, tokens: tokens + tokensAround, isCut: false });
  }
  const first = sections[included.length];
  const isCut = cut === 'at-line' && first !== undefined;
  const part = isCut
    ? cutAtLine(first.text, tokensLeft - first.tokensAround, marker, countTokens)
    : undefined;
  if (first !== undefined && part !== undefined) {
    const tokens = part.tokens + first.tokensAround;
    tokensLeft -= tokens;
    included.push({ id: first.id, text: part.text, tokens, isCut: true });
  }
  const skipped = sections
    .slice(included.length)
    .map(({ id, tokens, tokensAround }) => ({ id, tokens: tokens + tokensAround }));
  return { included, skipped, tokensLeft };
}

/** The whole lines that fit with the marker below them; `undefined` if not even one does. */
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
