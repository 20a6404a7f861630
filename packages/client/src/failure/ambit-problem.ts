import type * as api from '@ambit/api';
import { AmbitClientError } from './ambit-client-error.ts';

/** The body of every refusal (RFC 9457). */
export type Problem = api.Problem;
/** The code of a refusal. Stable. */
export type ProblemCode = api.ProblemCode;
/**
 * A requested capability that the call did not get. `remedy` is the line of configuration that
 * grants it, or what else to do.
 */
export type Denial = NonNullable<Problem['denials']>[number];

/**
 * A request that the daemon refused. Nothing ran, or the key may not see what did. The message says
 * what to do.
 */
export class AmbitProblem extends AmbitClientError {
  override readonly name = 'AmbitProblem';
  /** The whole response. */
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }

  /** Stable. A newer daemon may have codes that are not in the type. */
  get code(): ProblemCode {
    return this.problem.code;
  }

  /** The HTTP status. */
  get status(): number {
    return this.problem.status;
  }

  /** The execution id of the refusal in the audit log. */
  get executionId(): string {
    return this.problem.executionId;
  }

  /** The faults in the input or the request; empty for other refusals. */
  get issues(): NonNullable<Problem['issues']> {
    return this.problem.issues ?? [];
  }

  /**
   * Each missing capability; its `remedy` is the line of configuration that grants it. Empty for
   * other refusals.
   */
  get denials(): readonly Denial[] {
    return this.problem.denials ?? [];
  }

  /** Seconds until a retry may succeed; `undefined` if a retry alone does not help. */
  get retryAfterSeconds(): number | undefined {
    const value: unknown = this.problem.retryAfterSeconds;
    // Any other value would mean no pause at all.
    return typeof value === 'number' && value >= 0 ? value : undefined;
  }
}
