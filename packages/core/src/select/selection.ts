import type { McpServers } from '../skill/mcp-servers.ts';
import type { ContextRequirement } from '../skill/sidecar.ts';
import type { Skill } from '../skill/skill.ts';

/** An operator's settings for a phase. Absent and empty are the same. */
export interface PhaseSettings {
  /** The tools that an agent has in this phase, in the order shown to it. `all`: every tool of the agent. */
  tools?: readonly string[] | 'all';
  /** Tools among them that no skill can remove. */
  required?: readonly string[];
  /**
   * Ids of skills that are selected for the phase, whatever their sidecars name. Skills whose
   * sidecars name the phase are selected too.
   */
  skills?: readonly string[];
}

/** An operator's settings for an agent. */
export interface AgentSettings {
  /**
   * Ids of this agent's skills, in the order of its index. Skills whose sidecars name the agent are
   * added.
   */
  skills?: readonly string[];
}

/**
 * The input of a selection: the available skills and the operator's settings for phases, agents and
 * MCP servers.
 */
export interface SelectionCatalog {
  skills: readonly Skill[];
  /** By name, compared without case. */
  phases?: Readonly<Record<string, PhaseSettings>>;
  /** By name, compared exactly. */
  agents?: Readonly<Record<string, AgentSettings>>;
  /**
   * By skill id: the servers that it may provide, each with the exact definition that was granted.
   */
  mcpServers?: Readonly<Record<string, McpServers>>;
}

/**
 * A request for skills. Absent fields do not filter: an empty request selects every skill. One
 * common tag is enough. A skill that names campaigns or sections is selected only for those.
 */
export interface SelectionRequest {
  /**
   * Compared without case and surrounding blanks. A blank or unknown phase gets the skills for
   * every phase.
   */
  phase?: string | undefined;
  agent?: string | undefined;
  tags?: readonly string[] | undefined;
  campaign?: string | undefined;
  section?: string | undefined;
  /**
   * Ids of the only skills to select, with what they require, regardless of other fields and the
   * configuration; `include` adds to them. Empty: none. The phase still determines the tools.
   */
  only?: readonly string[] | undefined;
  /** Ids to select regardless of phase, agent, tags, campaign and section. */
  include?: readonly string[] | undefined;
  /** Ids not to select. Overrides everything; skills that require them are not selected either. */
  exclude?: readonly string[] | undefined;
  /**
   * The maximum tokens of all bodies together; 0 selects no skill. Absent or infinite: no limit.
   * Negative or not a number: no limit, with a warning.
   */
  budgetTokens?: number | undefined;
  /** The agent's own MCP servers. A skill's server never replaces one. */
  mcpServers?: McpServers | undefined;
}

/** The reason for selecting a skill. If there are several, the most explicit one. */
export type SelectedBecause =
  | { kind: 'phase'; phase: string }
  /** It names no phase, or `*`. */
  | { kind: 'every-phase' }
  /** It names phases, and the request does not. */
  | { kind: 'no-phase' }
  /** The configuration names it for this phase. */
  | { kind: 'configured'; phase: string }
  /**
   * It belongs to the requested agent: the configuration assigns it, or its sidecar names the
   * agent.
   */
  | { kind: 'agent'; agent: string; namedBy: 'configuration' | 'sidecar' }
  | { kind: 'included' }
  | { kind: 'dependency'; of: string };

/** A selected skill and the reason. */
export interface SelectedSkill {
  skill: Skill;
  because: SelectedBecause;
  /** The tokens of its body in a prompt; `null` if nothing was counted. */
  tokens: number | null;
}

/** The reason for leaving a skill out. */
export type LeftOutReason =
  | { kind: 'phase' | 'agent' | 'tags' | 'campaign' | 'section'; its: readonly string[] }
  | { kind: 'excluded' }
  /** Its frontmatter hides it from models, and neither the request nor the configuration names it. */
  | { kind: 'for-people' }
  /** The request has `only`, which does not name it. */
  | { kind: 'not-named' }
  /** Something names it, but the catalog does not have it. */
  | { kind: 'unknown'; namedBy: string }
  /** `detail` names the dependency, its problem, and a skill with a conflicting requirement. */
  | { kind: 'dependency'; on: string; detail: string }
  /**
   * It requires itself, directly or through others. `chain` begins and ends with the same id. Of a
   * circle of 100 skills or more, it has the first 100 and does not end with the first.
   */
  | { kind: 'circle'; chain: readonly string[] }
  | { kind: 'conflict'; with: string }
  /**
   * All or nothing, in order: after the first that does not fit, none does. `tokens` counts its
   * body; `null` for later skills, which are not counted.
   */
  | { kind: 'budget'; tokens: number | null; tokensLeft: number };

/** A skill that is not selected or does not exist, by id, and why. */
export interface LeftOutSkill {
  id: string;
  reason: LeftOutReason;
}

/** The tools that an agent may use, and why it may not use the other tools of its phase. */
export interface EffectiveTools {
  /**
   * In the order of the phase; if the phase has all tools, in the order of the skills. `all`: every
   * tool of the agent, because the phase has all and no trusted selected skill names tools.
   */
  allowed: readonly string[] | 'all';
  /** The phase's tools that no selected skill requests; empty if the phase has all tools. */
  withheld: readonly string[];
  /** Tools that selected skills request and the phase does not have. They are never given. */
  beyondPhase: readonly { tool: string; skills: readonly string[] }[];
  /**
   * `configured`: the phase's tools, narrowed by skills. `unnarrowed`: all of them, because no
   * trusted selected skill mentions tools. `unknown-phase` and `no-phase`: none.
   */
  from: 'configured' | 'unnarrowed' | 'unknown-phase' | 'no-phase';
}

/** The MCP servers that an agent gets, and the refused ones. */
export interface EffectiveMcpServers {
  /** The agent's own, then granted servers of skills. */
  servers: McpServers;
  /** By server: the id of the first skill that provides it. Excludes the agent's own. */
  origins: Readonly<Record<string, string>>;
  /** `remedy` is the line of configuration that grants it; `null` if none does. */
  refused: readonly { server: string; skill: string; reason: string; remedy: string | null }[];
}

/**
 * The result of a selection. Every skill of the catalog is in exactly one of `skills` and
 * `leftOut`.
 */
export interface Selection {
  /** Dependencies first, then trusted skills, then by priority, then by id. */
  skills: readonly SelectedSkill[];
  /** In the same order; unknown ids come last. */
  leftOut: readonly LeftOutSkill[];
  tools: EffectiveTools;
  mcpServers: EffectiveMcpServers;
  /**
   * The context that the selected skills require, without duplicates, in the order of the skills.
   */
  context: readonly { requirement: ContextRequirement; skills: readonly string[] }[];
  /** One sentence each, such as an unknown phase with the known ones, or an invalid budget. */
  warnings: readonly string[];
}
