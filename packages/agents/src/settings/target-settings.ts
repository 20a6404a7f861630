import type { EffectiveMcpServers, EffectiveTools } from '@ambit/core/select';

/** The result of a selection. */
export interface TargetInput {
  /** The composed system prompt. Empty: the agent's own prompt is unchanged. */
  prompt: string;
  /** `allowed` lists every tool that the agent may use. Empty: none. `all`: every tool that the agent has. */
  tools: EffectiveTools;
  mcpServers: EffectiveMcpServers;
  /** The agent's name for the model. Absent: its default. */
  model?: string | undefined;
  /** A dedicated folder that `files` will be written to. Absent: the agent's working directory. */
  folder?: string | undefined;
}

/** The files and arguments with which an agent starts so that a selection applies. The caller starts the agent. */
export interface TargetSettings {
  /** Arguments, before the task's own, without a shell. Absent: none. */
  args?: readonly string[];
  /** Added to the agent's environment. */
  env?: Readonly<Record<string, string>>;
  /** Files to write below `folder` before the agent starts. Absent: none. */
  files?: readonly TargetFile[];
  /** For agents that are called as a library. */
  options?: Readonly<Record<string, unknown>>;
  /** The rules that this agent does not enforce, in sentences; empty if it enforces everything. */
  limits: readonly string[];
}

/** A file that an agent reads. */
export interface TargetFile {
  path: string;
  content: string;
}
