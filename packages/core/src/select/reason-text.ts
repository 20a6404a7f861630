import type { LeftOutSkill, SelectedBecause } from './selection.ts';

/** Why a skill was left out, as one sentence without its full stop, with what to do where something can be done. */
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
      return `${id} is none of the only skills that were asked for`;
    case 'unknown':
      return `${id} is named by ${reason.namedBy}, and no skill has that id`;
    case 'dependency':
      return reason.detail;
    case 'conflict':
      return `${id} conflicts with ${reason.with}, which comes before it`;
    case 'budget':
      return reason.tokens === null
        ? `${id} comes after a skill that did not fit into the token budget`
        : `${id} comes to ${reason.tokens} tokens, and ${reason.tokensLeft} of the budget are left`;
    default:
      return reason satisfies never;
  }
}

/** Why a skill was selected, in a few words that follow its name. */
export function becauseText(because: SelectedBecause): string {
  switch (because.kind) {
    case 'phase':
      return `is for the phase ${because.phase}`;
    case 'every-phase':
      return 'is for every phase';
    case 'no-phase':
      return 'is for some phases, and none was asked for';
    case 'configured':
      return `is configured for the phase ${because.phase}`;
    case 'agent':
      return because.namedBy === 'configuration'
        ? `is configured for the agent ${because.agent}`
        : `is for the agent ${because.agent}`;
    case 'included':
      return 'was asked for by name';
    case 'dependency':
      return `is required by ${because.of}`;
    default:
      return because satisfies never;
  }
}
