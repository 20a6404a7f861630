import type { Grant, SkillExecutor } from '../../../packages/core/src/execute.ts';
import type { RequestedLimits } from '../../../packages/core/src/internal.ts';

/** What a skill of the contract suite does, whatever it is written in. It speaks protocol `json`. */
export type Behaviour =
  /** Answers with its input, byte for byte. */
  | 'echoes'
  /** Answers with a JSON string whose text is so many bytes long; never looks at its input. */
  | { answersBytes: number }
  /** Ends by itself never, and never looks at its input. */
  | 'never ends'
  /** Says no in an orderly way, with this message. */
  | { fails: string }
  /** Comes to a bad end without a word. */
  | 'crashes'
  /** Leaves a mark wherever it can write, and answers with whether it found one there before. */
  | 'leaves a mark'
  /** Logs this text and answers 1. */
  | { logs: string }
  /** Logs this text and a line's end, and then never ends. */
  | { logsAndStays: string }
  | 'answers nothing'
  | 'answers no JSON'
  | 'answers no UTF-8'
  /** Has an entry that cannot be started. */
  | 'cannot start';

/** What a sidecar says of what goes in and comes out. */
interface Payloads {
  input?: 'text';
  output?: 'text';
}

/** One implementation of `SkillExecutor`, and skills for it. */
export interface ExecutorWorld {
  executor: SkillExecutor;
  /** A skill that behaves like this, granted for one call or more. `payload` is what it says of its input and output. */
  skill(behaviour: Behaviour, limits?: RequestedLimits, payload?: Payloads): Promise<Grant>;
  /** Gives back what it holds. */
  close(): Promise<void>;
}
