import type { Outcome } from '../../outcome/outcome.ts';
import { SkillError } from '../../outcome/skill-error.ts';
import type { RunResult } from '../executor/executor.ts';
import { StateError } from '../executor/skill-state.ts';

/**
 * Saves a successful run's changes to its skill's store, and resolves to the outcome: `output-invalid` if
 * the store refuses them. Saves nothing for other outcomes. Throws `INTERNAL` if the store cannot be
 * written.
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
    const { code = 'unknown error' } = error as { code?: string };
    throw new SkillError(
      'INTERNAL',
      `the run succeeded, but its state could not be written (${code}) and was discarded; check that the data directory is writable and has free space`,
      { cause: error },
    );
  }
}
