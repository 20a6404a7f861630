import type { Denial, Problem, ProblemCode } from '../api/names.ts';

/** A request that the daemon refused: nothing ran, or nothing may be known of what did. The message says what to do. */
export class AmbitProblem extends Error {
  override readonly name = 'AmbitProblem';
  /** Everything that the daemon said. */
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }

  /** Stable, for programs. A later daemon may have codes that are not in the type. */
  get code(): ProblemCode {
    return this.problem.code;
  }

  /** The HTTP status. */
  get status(): number {
    return this.problem.status;
  }

  /** Under which the audit log has the refusal. */
  get executionId(): string {
    return this.problem.executionId;
  }

  /** Where the input or the request is wrong; empty when that is not what is wrong. */
  get issues(): NonNullable<Problem['issues']> {
    return this.problem.issues ?? [];
  }

  /** Each capability that is missing; its `remedy` is the line of configuration that grants it. Empty for other refusals. */
  get denials(): readonly Denial[] {
    return this.problem.denials ?? [];
  }

  /** In how many seconds it can be tried again; `undefined` when trying again would not help by itself. */
  get retryAfterSeconds(): number | undefined {
    const said: unknown = this.problem.retryAfterSeconds;
    // Anything else would be a pause of no time at all.
    return typeof said === 'number' && said >= 0 ? said : undefined;
  }
}
