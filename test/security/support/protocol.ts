import type { Narrowing, RunResult, Tier } from '../../../packages/core/src/execute.ts';
import type { FileChange } from '../../../packages/core/src/internal.ts';

/** One call, as a test sends it to the program that runs it: a line of JSON. */
export interface CallLine {
  id: number;
  /** The skill's own folder; its name is the skill's id. */
  skill: string;
  /** What the script finds on its stdin, as JSON. */
  given: unknown;
  /** What lies in its workspace, as text. */
  files: Readonly<Record<string, string>>;
  /** The operator's lines for this skill, as they stand in the configuration. */
  grant: object;
  deny: object;
  narrowing: Narrowing;
  /** `local` when absent. */
  tier?: Tier;
  /** What the caller tells of where the call comes from. */
  told?: Readonly<Record<string, unknown>>;
  /** What its host process is, for a WASM skill: the real one when absent. */
  host?: CallHost;
}

/** A host process that is not as it should be. */
export type CallHost =
  /** A program of the test's own stands in its place. */
  | { program: string }
  /** The real one, which is told that all of these paths were granted, to read and to write. */
  | { told: readonly string[] };

/** An execution as it goes over the line: contents as latin1, a character a byte, and its state saved. */
export type ExecutionLine = Omit<RunResult, 'files' | 'state'> & {
  /** How many keys of its store it changed; absent: none. */
  stateKeys?: number;
  files?: (Omit<FileChange, 'content'> & { content: string | null })[];
};

/** What becomes of a call: it ran, or it was refused before anything ran. */
export type Answer = { execution: ExecutionLine } | { refused: { code: string; message: string } };

/** What the program has needed up to an answer. */
export interface Needed {
  /** Host processes for WASM skills. */
  hosts: number;
  /** The most memory that it has held itself. */
  residentBytes: number;
}

export interface AnswerLine {
  id: number;
  answer: Answer;
  needed: Needed;
}

/** What the program says of itself before the first call. */
export interface Introduction {
  /** The user of the host that its skills are. */
  skillUser: number;
  /** Which of the kernel's accounts it can write. */
  cgroups: 'cgroup v1' | 'cgroup v2' | null;
  /** Descriptors that it was started with and that a program of its own would inherit. */
  inherited: number[];
  /** Where its skills keep their state, as the daemon's data directory is. */
  data: string;
}
