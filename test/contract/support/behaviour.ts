import type { Grant, SkillExecutor } from '../../../packages/core/src/execute.ts';
import type { RequestedLimits } from '../../../packages/core/src/policy.ts';

/** The behaviours of a skill of the contract suite, in any language. It uses protocol `json`. */
export type Behaviour =
  /** Returns its input unchanged. */
  | 'echoes'
  /** Returns a JSON string of this many bytes without reading its input. */
  | { answersBytes: number }
  /** Never ends by itself and never reads its input. */
  | 'never ends'
  /** Reports a failure with this message. */
  | { fails: string }
  /** Ends abnormally without a message. */
  | 'crashes'
  /** Leaves a mark everywhere it can write, and returns whether it found one. */
  | 'leaves a mark'
  /** Logs this text and returns 1. */
  | { logs: string }
  /** Logs this text and a line break, and then never ends. */
  | { logsAndStays: string }
  | 'answers nothing'
  | 'answers no JSON'
  | 'answers no UTF-8'
  /** Has an entry that cannot be started. */
  | 'cannot start';

/** The sidecar's description of input and output. */
interface Payloads {
  input?: 'text';
  output?: 'text';
}

/** An implementation of `SkillExecutor` and skills for it. */
export interface ExecutorWorld {
  executor: SkillExecutor;
  /**
   * A skill with this behaviour, granted for one or more calls. `payload` describes its input and
   * output.
   */
  skill(behaviour: Behaviour, limits?: RequestedLimits, payload?: Payloads): Promise<Grant>;
  /** Releases its resources. */
  close(): Promise<void>;
}
