import type { CountTokens } from '../prompt/count-tokens.ts';
import type { Skill } from '../skill/skill.ts';
import type { LeftOutReason } from './selection.ts';

/** Counts a skill's body; see `bodyTokens`. */
type CountBody = (skill: Skill) => number;

/** What fits into a budget. */
export interface Fitted {
  /** What the first skills come to, each; the others do not fit. `null` where there is no budget. */
  tokens: readonly (number | null)[];
  /** Why each of the others does not, in order. */
  reasons: readonly LeftOutReason[];
}

/**
 * Rule 5 of design, section 6: a budget is all or nothing for each skill, in order, and after the first that does not fit
 * none does, though a smaller one might. So a smaller budget selects a beginning of what a larger one does: nobody loses
 * a skill by giving more room, as would happen where a large skill that fits at last pushes out two small ones. Because
 * dependencies come first, a beginning has all that its skills require; a dependency whose dependents did not fit stays.
 */
export function fitBudget(
  skills: readonly { skill: Skill }[],
  budgetTokens: number | undefined,
  countBody: CountBody,
): Fitted {
  if (budgetTokens === undefined) return { tokens: skills.map(() => null), reasons: [] };
  const tokens: number[] = [];
  let tokensLeft = budgetTokens;
  for (const { skill } of skills) {
    const its = countBody(skill);
    // A budget of nothing is a wish for no skill, not even for an empty one.
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
 * A budget as it can be kept. Infinity is none; what is no number or below 0 is none as well, with a warning, because
 * leaving out every skill for a slip would be worse.
 */
export function readBudget(given: unknown): { budgetTokens: number | undefined; warnings: string[] } {
  if (given === undefined || given === Number.POSITIVE_INFINITY)
    return { budgetTokens: undefined, warnings: [] };
  if (typeof given === 'number' && given >= 0) return { budgetTokens: given, warnings: [] };
  const shown = typeof given === 'string' ? JSON.stringify(given.slice(0, 100)) : String(given);
  return {
    budgetTokens: undefined,
    warnings: [`a token budget of ${shown} is none, so nothing was left out for it; give a number from 0`],
  };
}

/** Counts each body once: `counted` keeps what it came to. */
export function bodyTokens(countTokens: CountTokens, counted: WeakMap<Skill, number>): CountBody {
  return (skill) => {
    const before = counted.get(skill);
    if (before !== undefined) return before;
    const tokens = countTokens(skill.body);
    counted.set(skill, tokens);
    return tokens;
  };
}
