import type { CountTokens } from '../model-text/count-tokens.ts';
import type { Skill } from '../skill/skill.ts';
import type { LeftOutReason } from './selection.ts';

/** Counts a skill's body; see `bodyTokens`. */
type CountBody = (skill: Skill) => number;

/** The result of applying a budget. */
export interface BudgetFit {
  /** Tokens of each skill that fits, in order. `null` without a budget. */
  tokens: readonly (number | null)[];
  /** The reasons why the remaining skills do not fit, in order. */
  reasons: readonly LeftOutReason[];
}

/**
 * The last step of a selection: selects what the token budget allows. A skill fits entirely or not at
 * all. After the first that does not fit, no later one is selected, even if it is smaller. A smaller budget therefore selects a prefix of
 * what a larger one selects, and raising the budget never drops a skill. Dependencies come first,
 * so a prefix includes everything that its skills require. A dependency whose dependents do not fit
 * stays.
 */
export function fitBudget(
  skills: readonly { skill: Skill }[],
  budgetTokens: number | undefined,
  countBody: CountBody,
): BudgetFit {
  if (budgetTokens === undefined) return { tokens: skills.map(() => null), reasons: [] };
  const tokens: number[] = [];
  let tokensLeft = budgetTokens;
  for (const { skill } of skills) {
    const its = countBody(skill);
    // A budget of 0 selects nothing, not even an empty skill.
    if (budgetTokens === 0 || !(its <= tokensLeft)) {
      const later: LeftOutReason = { kind: 'budget', tokens: null, tokensLeft };
      const behind = skills.slice(tokens.length + 1).map(() => later);
      return { tokens, reasons: [{ kind: 'budget', tokens: its, tokensLeft }, ...behind] };
    }
    tokens.push(its);
    tokensLeft -= its;
  }
  return { tokens, reasons: [] };
}

/**
 * Validates a budget. Infinity means none. A value that is negative or not a number also means
 * none, with a warning, because a typo should not leave out every skill.
 */
export function readBudget(given: unknown): { budgetTokens: number | undefined; warnings: string[] } {
  if (given === undefined || given === Number.POSITIVE_INFINITY)
    return { budgetTokens: undefined, warnings: [] };
  if (typeof given === 'number' && given >= 0) return { budgetTokens: given, warnings: [] };
  const shown = typeof given === 'string' ? JSON.stringify(given.slice(0, 100)) : String(given);
  return {
    budgetTokens: undefined,
    warnings: [`the token budget ${shown} is ignored; write a number of 0 or more`],
  };
}

/** Counts each body once and caches the result in `counted`. */
export function bodyTokens(countTokens: CountTokens, counted: WeakMap<Skill, number>): CountBody {
  return (skill) => {
    const before = counted.get(skill);
    if (before !== undefined) return before;
    const tokens = countTokens(skill.body);
    counted.set(skill, tokens);
    return tokens;
  };
}
