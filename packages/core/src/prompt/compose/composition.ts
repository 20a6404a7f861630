import type { SkillIndexEntry } from '../../select/agent-index.ts';
import type { EffectiveMcpServers, EffectiveTools, Selection } from '../../select/selection.ts';
import type { GatheredContext } from '../context.ts';
import type { TemplateVariables } from '../fill-template.ts';
import type { Cut } from '../fit-sections.ts';

/** What a prompt is made of. */
export interface CompositionInput {
  /**
   * What the author of the agent wrote; may be empty. It is a template: `{{skills}}`, `{{available_skills}}` and
   * `{{skill_context}}` say where bodies, listing and gathered context go, instead of the usual places. Nothing else in a
   * prompt is one: neither skills nor values are looked at for variables.
   */
  systemPrompt: string;
  selection: Selection;
  /**
   * The skills of the agent, as `agentIndex` gives them: they come first in the listing, in this order. Untrusted skills come
   * after all others, unless the configuration gives them to the agent.
   */
  agentIndex?: readonly Pick<SkillIndexEntry, 'id'>[] | undefined;
  /** Ids of selected skills whose bodies are in the prompt, because the model or the caller activated them. */
  active?: readonly string[] | undefined;
  /**
   * What is told of the selected skills. `metadata` (the default): name, description and location of all, and the bodies
   * of those that are active or, unless they are untrusted, have `injection.mode: always`. `index`: the same with an index of two lines a skill.
   * `bodies`: the bodies of all, and no listing but of those that are delivered as a reference.
   */
  disclosure?: 'metadata' | 'index' | 'bodies' | undefined;
  /**
   * How bodies stand in the prompt. `xml` (the default): escaped, each in a `<skill>`. `plain`: as they are, one after
   * another with a blank line between, and only tags that mean something in a prompt disarmed.
   */
  format?: 'xml' | 'plain' | undefined;
  context?: GatheredContext | undefined;
  variables?: TemplateVariables | undefined;
  /**
   * What the whole prompt may take. The system prompt is never cut; then come, in this order, the listing, the bodies and
   * the context, as `fitSections` has it. Absent: no bound.
   */
  budgetTokens?: number | undefined;
  cut?: Cut | undefined;
}

/** Where a part of a prompt comes from: the system prompt, a skill's line in the listing, its body, what was gathered. */
export type PartKind = 'base' | 'metadata' | 'index' | 'skill' | 'context';

/** A stretch of a composed prompt. */
export interface Part {
  kind: PartKind;
  /** A skill's id, `system prompt`, `fallback prompt`, or what was gathered: a path, `git status`, `item`, `context errors`. */
  origin: string;
  /** Why it is there, in words. */
  because: string;
  /** With the tags and line breaks around it, so that the parts in order are the prompt. */
  text: string;
  tokens: number;
  /** In UTF-16 code units. */
  characters: number;
  /** From 1. */
  order: number;
  /** Whether it ends before its end, for the budget's sake. */
  isCut: boolean;
}

/** What could have been in the prompt and is not. */
export interface LeftOutPart {
  /** A skill's id, or as `Part.origin`. */
  id: string;
  /** `skill`: it was not selected. `listing`, `body`, `context`: that is not there of something that was. */
  what: 'skill' | 'listing' | 'body' | 'context';
  /** A sentence without its full stop, that begins with the id. */
  because: string;
}

/** A prompt, and everything that somebody could ask about it. */
export interface Composition {
  prompt: string;
  /** The sum of the parts'. */
  tokens: number;
  parts: readonly Part[];
  leftOut: readonly LeftOutPart[];
  tools: EffectiveTools;
  mcpServers: EffectiveMcpServers;
  /** One sentence each; the selection's first. */
  warnings: readonly string[];
}
