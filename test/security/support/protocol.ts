import type { Execution, FileChange, Narrowing } from '../../../packages/core/src/index.ts';

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
}

/** An execution as it goes over the line: contents as latin1, a character a byte. */
export type ExecutionLine = Omit<Execution, 'files'> & {
  files?: (Omit<FileChange, 'content'> & { content: string | null })[];
};

/** What becomes of a call: it ran, or it was refused before anything ran. */
export type Answer = { execution: ExecutionLine } | { refused: { code: string; message: string } };

export type AnswerLine = { id: number } & Answer;

/** What the program says of itself before the first call. */
export interface Introduction {
  /** The user of the host that its skills are. */
  skillUser: number;
  /** Which of the kernel's accounts it can write. */
  ceilings: 'cgroup v1' | 'cgroup v2' | null;
  /** Descriptors that it was started with and that a program of its own would inherit. */
  inherited: number[];
}
