import type { SkillIndexEntry } from '../../select/agent-index.ts';
import type { EffectiveMcpServers, EffectiveTools, Selection } from '../../select/selection.ts';
import type { GatheredContext } from '../context.ts';
import type { TemplateVariables } from '../fill-template.ts';
import type { Cut } from '../fit-sections.ts';

/** The input of a composition. */
export interface CompositionInput {
  /**
   * The agent author's text; may be empty. It is a template: `{{skills}}`, `{{available_skills}}`
   * and `{{skill_context}}` place bodies, listing and gathered context. Nothing else is a template:
   * skills and values are not searched for variables.
   */
  systemPrompt: string;
  selection: Selection;
  /**
   * The agent's skills, from `agentIndex`. They come first in the listing, in this order. Untrusted
   * skills come last unless the configuration assigns them to the agent.
   */
  agentIndex?: readonly Pick<SkillIndexEntry, 'id'>[] | undefined;
  /**
   * Ids or aliases of selected skills whose bodies are in the prompt, because the model or the caller
   * activated them.
   */
  active?: readonly string[] | undefined;
  /**
   * The form of selected skills. `metadata` (default): name, description and location of all, and
   * the bodies of active skills and of trusted skills with `injection.mode: always`. `index`: the
   * same with an index of two lines a skill. `bodies`: all bodies, and a listing only of those
   * delivered as a reference.
   */
  disclosure?: 'metadata' | 'index' | 'bodies' | undefined;
  /** The maximum lines of an index. Absent: no limit, and a warning above 30 lines for an agent. */
  indexLinesMax?: number | undefined;
  /**
   * The format of bodies. `xml` (default): escaped, each in a `<skill>`. `plain`: unescaped,
   * separated by a blank line, with only tags that have a meaning in a prompt disarmed.
   */
  format?: 'xml' | 'plain' | undefined;
  context?: GatheredContext | undefined;
  variables?: TemplateVariables | undefined;
  /**
   * The maximum tokens of the prompt. The system prompt is never cut. Then come the listing, the
   * bodies and the context, in this order, by the rules of `fitSections`. Absent: no limit.
   */
  budgetTokens?: number | undefined;
  cut?: Cut | undefined;
}

/**
 * The source of a part: the system prompt, a skill's entry in the listing, its body, or gathered
 * context.
 */
export type PartKind = 'base' | 'metadata' | 'index' | 'skill' | 'context';

/** A section of a composed prompt. */
export interface Part {
  kind: PartKind;
  /**
   * A skill's id, `system prompt`, `fallback prompt`, or the gathered item: a path, `git status`,
   * `item`, `context errors`.
   */
  origin: string;
  /** The reason for including it. */
  because: string;
  /** Includes the tags and line breaks around it, so that the parts concatenate to the prompt. */
  text: string;
  tokens: number;
  /** In UTF-16 code units. */
  characters: number;
  /** From 1. */
  order: number;
  /** Whether it was cut to fit the budget. */
  isCut: boolean;
}

/** Something left out of the prompt. */
export interface LeftOutPart {
  /** A skill's id, or a value of `Part.origin`. */
  id: string;
  /**
   * `skill`: not selected. `listing`, `body`, `context`: this part of something selected is
   * missing.
   */
  what: 'skill' | 'listing' | 'body' | 'context';
  /** A sentence without a full stop that starts with the id. */
  because: string;
}

/** A prompt with its explanation. */
export interface Composition {
  prompt: string;
  /** The sum over all parts. */
  tokens: number;
  parts: readonly Part[];
  leftOut: readonly LeftOutPart[];
  tools: EffectiveTools;
  mcpServers: EffectiveMcpServers;
  /** One sentence each, the selection's first. */
  warnings: readonly string[];
}
