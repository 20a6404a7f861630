import type { Grant, SkillExecutor } from '../packages/core/src/execute.ts';
import { line } from './run-program.ts';

/**
 * Calls a skill that returns its input. Fails unless the call succeeds, because refusals are fast.
 */
export async function succeeds(executor: SkillExecutor, grant: Grant, inSandbox?: string): Promise<void> {
  const input = { protocol: 'json' as const, value: JSON.parse(line) };
  const { outcome, sandbox } = await executor.execute(grant, input, new AbortController().signal);
  if (outcome.status !== 'succeeded' || JSON.stringify(outcome.output) !== line)
    throw new Error(`the call did not succeed: ${JSON.stringify(outcome)}`);
  if (inSandbox !== undefined && sandbox !== inSandbox) throw new Error(`the call ran in ${sandbox}`);
}
