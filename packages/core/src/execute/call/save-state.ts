import type { Outcome } from '../../outcome/outcome.ts';
import { SkillError } from '../../outcome/skill-error.ts';
import type { RunResult } from '../executor/executor.ts';
import { StateError } from '../executor/skill-state.ts';

/**
 * Saves a successful run's changes to its skill's store, and returns the outcome: `output-invalid` if
 * the store refuses them. Saves nothing for other outcomes. Throws `STORE_UNAVAILABLE`.
 */
export async function saveState(outcome: Outcome, { state, log }: RunResult): Promise<Outcome> {
  if (outcome.status !== 'succeeded' || state === undefined) return outcome;
  try {
    await state.save();
    return outcome;
  } catch (error) {
    if (error instanceof StateError) {
      const detail = `the state was not saved: ${error.message}; remove or shorten keys and values`;
      return { status: 'output-invalid', detail, stderr: log };
    }
    if (!(error instanceof SkillError)) throw error;
    throw new SkillError(
      error.code,
      `the run succeeded, but its state was not saved and its output is discarded: ${error.message}`,
      { cause: error },
    );
  }
}
