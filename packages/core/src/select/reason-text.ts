import type { LeftOutSkill, SelectedBecause } from './selection.ts';

/**
 * Why a skill was left out: one sentence without a full stop, with what to do if anything helps.
 */
export function leftOutText({ id, reason }: LeftOutSkill): string {
  switch (reason.kind) {
    case 'phase':
      return `${id} is for the phases ${reason.its.join(', ')}`;
    case 'agent':
      return `${id} is for the agents ${reason.its.join(', ')}`;
    case 'tags':
      return reason.its.length === 0
        ? `${id} has no tags`
        : `${id} has only the tags ${reason.its.join(', ')}`;
    case 'campaign':
      return `${id} is for the campaigns ${reason.its.join(', ')}`;
    case 'section':
      return `${id} is for the sections ${reason.its.join(', ')}`;
    case 'excluded':
      return `${id} is excluded by the request`;
    case 'not-named':
      return `${id} is not among the skills in "only"`;
    case 'unknown':
      return `${id} is named by ${reason.namedBy}, but no skill has that id`;
    case 'dependency':
      return reason.detail;
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

/** Why a skill was selected, as a predicate. */
export function becauseText(because: SelectedBecause): string {
  switch (because.kind) {
    case 'phase':
      return `is for the phase ${because.phase}`;
    case 'every-phase':
      return 'is for every phase';
    case 'no-phase':
      return 'is for some phases, and none was requested';
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
