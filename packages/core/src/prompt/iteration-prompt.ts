/** One turn of an agent's loop through a phase. */
export interface Iteration {
  phase: string;
  /** From 1. */
  iteration: number;
  /** What was composed for this turn. Absent, `null` or blank: nothing was. */
  skillsPrompt?: string | null | undefined;
}

/** The system prompt of a turn: what was composed for it, or else the one for all turns. Neither is changed. */
export function iterationPrompt(monolithic: string, iteration?: Iteration): string {
  const composed = iteration?.skillsPrompt ?? '';
  return composed.trim() === '' ? monolithic : composed;
}
