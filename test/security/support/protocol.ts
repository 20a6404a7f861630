import type { Narrowing, RunResult, Tier } from '../../../packages/core/src/execute.ts';
import type { FileChange } from '../../../packages/core/src/workspace.ts';

/** One call, which a test sends to the program as a line of JSON. */
export interface CallLine {
  id: number;
  /** The skill's folder; its name is the skill's id. */
  skill: string;
  /** The script's input on stdin, as JSON. */
  given: unknown;
  /** The files in its workspace, as text. */
  files: Readonly<Record<string, string>>;
  /** The operator's grants for this skill, as in the configuration. */
  grant: object;
  deny: object;
  narrowing: Narrowing;
  /** `local` if absent. */
  tier?: Tier;
  /** The caller's context of the call. */
  callerContext?: Readonly<Record<string, unknown>>;
  /** Its host process, for a WASM skill: the real one if absent. */
  host?: CallHost;
}

/** A compromised host process. */
export type CallHost =
  /** A test program replaces it. */
  | { program: string }
  /** The real one, with all of these paths marked as granted for reading and writing. */
  | { grantedPaths: readonly string[] };

/** A result as it is sent: contents as latin1, one character per byte, with its state saved. */
export type ExecutionLine = Omit<RunResult, 'files' | 'state'> & {
  /** The number of changed keys in its store; absent: none. */
  stateKeys?: number;
  files?: (Omit<FileChange, 'content'> & { content: string | null })[];
};

/** The result of a call: it ran, or was refused before it ran. */
export type Answer = { execution: ExecutionLine } | { refused: { code: string; message: string } };

/** The resources that the program has used so far. */
export interface Needed {
  /** Host processes for WASM skills. */
  hosts: number;
  /** Its own peak memory. */
  residentBytes: number;
}

export interface AnswerLine {
  id: number;
  answer: Answer;
  needed: Needed;
}

/** The program's report before the first call. */
export interface Introduction {
  /** The host user of its skills. */
  skillUser: number;
  /** The cgroup version that it can write. */
  cgroups: 'cgroup v1' | 'cgroup v2' | null;
  /** Inherited descriptors that a child program would inherit too. */
  inherited: number[];
  /** The folder of skills' state, like the daemon's data directory. */
  data: string;
}
