import type { EffectiveMcpServers, EffectiveTools } from '@ambit/core/select';

/** What a selection came to. */
export interface TargetInput {
  /** The composed system prompt. Empty: the agent keeps its own and gets nothing. */
  prompt: string;
  /** `allowed` is everything that the agent may use. Empty: nothing. */
  tools: EffectiveTools;
  mcpServers: EffectiveMcpServers;
  /** As the agent calls it. Absent: its default. */
  model?: string | undefined;
  /** Where `files` will be written: a folder of one's own. Absent: the agent's working directory. */
  folder?: string | undefined;
}

/** How one agent is started so that a selection holds. Nothing of it is done: whoever starts the agent does. */
export interface TargetSettings {
  /** Arguments, before the task's own; there is no shell around them. Absent: none. */
  args?: readonly string[];
  /** Beside the environment that the agent has anyway. */
  env?: Readonly<Record<string, string>>;
  /** To be written beneath `folder` before the agent starts. Absent: none. */
  files?: readonly TargetFile[];
  /** For agents that are called rather than started. */
  options?: Readonly<Record<string, unknown>>;
  /** What this agent cannot be held to, in sentences; empty: all of it holds. */
  limits: readonly string[];
}

/** A file that an agent reads. */
export interface TargetFile {
  path: string;
  content: string;
}
