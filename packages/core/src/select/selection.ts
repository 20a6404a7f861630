import type { ContextRequirement, McpServers } from '../skill/sidecar.ts';
import type { Skill } from '../skill/skill.ts';

/** What an operator says of a phase. Absent and empty are the same. */
export interface PhaseSettings {
  /** The tools that an agent has in this phase, in the order in which it is told of them. */
  tools?: readonly string[];
  /** Those of them that no skill can take away. */
  required?: readonly string[];
  /**
   * Ids of skills that are selected for the phase, whatever their sidecars say of phases, agents, tags, campaigns and
   * sections, beside those whose sidecars name it.
   */
  skills?: readonly string[];
}

/** What an operator says of an agent. */
export interface AgentSettings {
  /** Ids of skills that are this agent's, in the order of its index, beside those whose sidecars name it. */
  skills?: readonly string[];
}

/** What is selected from: the skills there are, and what an operator has said of phases, agents and MCP servers. */
export interface SelectionCatalog {
  skills: readonly Skill[];
  /** By name, which is compared without case. */
  phases?: Readonly<Record<string, PhaseSettings>>;
  /** By name, which is compared as it is. */
  agents?: Readonly<Record<string, AgentSettings>>;
  /** By skill id: the servers that it may bring, each with the very definition that was granted. */
  mcpServers?: Readonly<Record<string, McpServers>>;
}

/**
 * What is asked for. What is absent does not narrow: an empty request selects every skill. Of tags, one in common is
 * enough; a skill that names campaigns or sections is selected for those alone.
 */
export interface SelectionRequest {
  /** Compared without case and the blanks around it. One that is blank or that nobody knows gets the skills for every phase. */
  phase?: string | undefined;
  agent?: string | undefined;
  tags?: readonly string[] | undefined;
  campaign?: string | undefined;
  section?: string | undefined;
  /**
   * Ids of the only skills to select, with what they require, whatever phase, agent, tags, campaign, section and the
   * configuration say; `include` adds to them. Empty: none. The phase still says which tools there are.
   */
  only?: readonly string[] | undefined;
  /** Ids that are selected whatever phase, agent, tags, campaign and section say. */
  include?: readonly string[] | undefined;
  /** Ids that are not selected; wins over everything, and what requires them is not selected either. */
  exclude?: readonly string[] | undefined;
  /** How many tokens the bodies may come to; 0: no skill. Absent or infinite: no bound; no number or negative: likewise, with a warning. */
  budgetTokens?: number | undefined;
  /** The agent's own MCP servers; a skill's never takes the place of one. */
  mcpServers?: McpServers | undefined;
}

/** Why a skill is among the selected; of several reasons the one nearest to a person's own word. */
export type SelectedBecause =
  | { kind: 'phase'; phase: string }
  /** It names no phase, or `*`. */
  | { kind: 'every-phase' }
  /** It names phases, and the request does not. */
  | { kind: 'no-phase' }
  /** The configuration names it for this phase. */
  | { kind: 'configured'; phase: string }
  /** It is the requested agent's own: the configuration gives it to the agent, or its sidecar names the agent. */
  | { kind: 'agent'; agent: string; namedBy: 'configuration' | 'sidecar' }
  | { kind: 'included' }
  | { kind: 'dependency'; of: string };

/** A skill that was selected, and why. */
export interface SelectedSkill {
  skill: Skill;
  because: SelectedBecause;
  /** What its body comes to in a prompt, in tokens; `null` where nothing had to be counted. */
  tokens: number | null;
}

/** Why a skill is not among the selected. */
export type LeftOutReason =
  | { kind: 'phase' | 'agent' | 'tags' | 'campaign' | 'section'; its: readonly string[] }
  | { kind: 'excluded' }
  /** The request names the only skills that it wants, and this is none of them. */
  | { kind: 'not-named' }
  /** Somebody named it, and the catalog does not have it. */
  | { kind: 'unknown'; namedBy: string }
  /** `detail` names the dependency, what is wrong with it, and who else asked for it. */
  | { kind: 'dependency'; on: string; detail: string }
  | { kind: 'conflict'; with: string }
  /**
   * All or nothing, in order: after the first that did not fit, none does. `tokens` is what its body comes to; `null`
   * for those after the first, which nobody had to count.
   */
  | { kind: 'budget'; tokens: number | null; tokensLeft: number };

/** A skill that was not selected, or is not there, by its id, and why. */
export interface LeftOutSkill {
  id: string;
  reason: LeftOutReason;
}

/** What an agent may use, and why each tool of its phase that it may not use is gone. */
export interface EffectiveTools {
  /** In the phase's order. */
  allowed: readonly string[];
  /** The phase's tools that no selected skill asks for. */
  withheld: readonly string[];
  /** What selected skills ask for and the phase does not have: never given. */
  beyondPhase: readonly { tool: string; skills: readonly string[] }[];
  /** `configured`: the phase's, narrowed by skills; `unnarrowed`: no selected skill that somebody vouches for speaks of tools; `unknown-phase`: none. */
  from: 'configured' | 'unnarrowed' | 'unknown-phase' | 'no-phase';
}

/** The MCP servers that an agent has, and those that it does not get. */
export interface EffectiveMcpServers {
  /** The agent's own, then those that skills bring and an operator granted. */
  servers: McpServers;
  /** By server: the id of the skill that brought it, the first of several. The agent's own are not in it. */
  origins: Readonly<Record<string, string>>;
  /** `remedy` is the line of configuration that grants it; `null` where none would. */
  refused: readonly { server: string; skill: string; reason: string; remedy: string | null }[];
}

/** What a selection comes to. Every skill of the catalog is in `skills` or in `leftOut`, once. */
export interface Selection {
  /** Dependencies first, then those that somebody vouches for, then by priority, then by id. */
  skills: readonly SelectedSkill[];
  /** In the same order; ids that the catalog does not have come last. */
  leftOut: readonly LeftOutSkill[];
  tools: EffectiveTools;
  mcpServers: EffectiveMcpServers;
  /** What the selected skills want to know, each once, in the order of the skills. */
  context: readonly { requirement: ContextRequirement; skills: readonly string[] }[];
  /** One sentence each: an unknown phase with the known ones, a budget that is no number, … */
  warnings: readonly string[];
}
