import type { LeftOutSkill, SelectedBecause } from './selection.ts';

/**
 * Returns why a skill was left out: one sentence without a full stop, with what to do if anything helps.
 */
export function leftOutText({ id, reason }: LeftOutSkill): string {
  switch (reason.kind) {
    case 'phase':
      return onlyFor(id, 'phase', reason.its);
    case 'agent':
      return onlyFor(id, 'agent', reason.its);
    case 'tags':
      return reason.its.length === 0
        ? `${id} has no tags`
        : `${id} has only the tags ${reason.its.join(', ')}`;
    case 'campaign':
      return onlyFor(id, 'campaign', reason.its);
    case 'section':
      return onlyFor(id, 'section', reason.its);
    case 'excluded':
      return `${id} is excluded by the request`;
    case 'for-people':
      return `${id} is for people by its SKILL.md; to give it to a model, name it in "include"`;
    case 'not-named':
      return `${id} is not among the skills in "only"`;
    case 'unknown':
      return `${id} is named in "${reason.namedBy}", but no skill has that id`;
    case 'dependency':
      return reason.detail;
    case 'circle':
      return `${circleText(id, reason.chain)}; remove an entry of requires in an ambit.yaml`;
    case 'conflict':
      return `${id} conflicts with ${reason.with}, which takes precedence`;
    case 'budget':
      return reason.tokens === null
        ? `${id} follows a skill that did not fit into the token budget`
        : `${id} needs ${reason.tokens} tokens, and the budget has ${reason.tokensLeft} left`;
    default:
      return reason satisfies never;
  }
}

/** Says that a skill requires itself, as a clause. */
export function circleText(id: string, chain: readonly string[]): string {
  if (chain.length === 2) return `${id} requires itself`;
  return `${id} is in a circle of requirements: ${chainText(chain)}`;
}

/** The chain of a circle, with its end marked if it was cut. */
export function chainText(chain: readonly string[]): string {
  return [...chain, ...(chain.at(-1) === chain[0] ? [] : ['…'])].join(' → ');
}

function onlyFor(id: string, noun: string, its: readonly string[]): string {
  return `${id} is only for the ${noun}${its.length === 1 ? '' : 's'} ${its.join(', ')}`;
}

/** Returns why a skill was selected, as a predicate. */
export function becauseText(because: SelectedBecause): string {
  switch (because.kind) {
    case 'phase':
      return `is for the phase ${because.phase}`;
    case 'every-phase':
      return 'is for every phase';
    case 'no-phase':
      return 'is selected because no phase was requested';
    case 'configured':
      return `is configured for the phase ${because.phase}`;
    case 'agent':
      return because.namedBy === 'configuration'
        ? `is configured for the agent ${because.agent}`
        : `is for the agent ${because.agent}`;
    case 'included':
      return 'was requested by name';
    case 'dependency':
      return `is required by ${because.of}`;
    default:
      return because satisfies never;
  }
}
