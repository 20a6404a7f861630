/** One turn of an agent's loop through a phase. */
export interface Iteration {
  phase: string;
  /** From 1. */
  iteration: number;
  /** The prompt composed for this turn. Absent, `null` or blank: none. */
  skillsPrompt?: string | null | undefined;
}

/**
 * The system prompt of a turn: the prompt composed for it, or the common one. Returned unchanged.
 */
export function iterationPrompt(monolithic: string, iteration?: Iteration): string {
  const composed = iteration?.skillsPrompt ?? '';
  return composed.trim() === '' ? monolithic : composed;
}
