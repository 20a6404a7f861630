import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { AmbitProblem } from '@ambit/client';
import { UsageError } from '@ambit/core/outcome';
import type { AnsweredCall } from '@ambit/server/wire';
import { nextCommand, type RepeatedFlags } from '../../output/next-command.ts';
import type { Terminal } from '../../output/terminal.ts';

/**
 * Waits for the answer of a call, writes its receipt to a file, and returns the answer. Refusals have receipts too. Without
 * a file nothing is written. Throws `USAGE_INVALID` if the file cannot be written, after the call is recorded.
 */
export async function withSavedReceipt(
  { cwd }: Pick<Terminal, 'cwd'>,
  file: string | undefined,
  answer: Promise<AnsweredCall>,
  flags: RepeatedFlags,
): Promise<AnsweredCall> {
  if (file === undefined) return answer;
  const path = resolve(cwd(), file);
  try {
    const result = await answer;
    await save(path, result.receipt, result.executionId, flags);
    return result;
  } catch (error) {
    if (!(error instanceof AmbitProblem) || error.problem.receipt === undefined) throw error;
    const { receipt, ...problem } = error.problem;
    await save(path, receipt, problem.executionId, flags);
    throw new AmbitProblem(problem);
  }
}

async function save(
  path: string,
  receipt: unknown,
  executionId: string,
  flags: RepeatedFlags,
): Promise<void> {
  const again = nextCommand(`ambit audit receipt ${executionId}`, flags, { isLocal: true });
  if (receipt === undefined || receipt === null)
    throw new UsageError(
      `the call is recorded, but its receipt could not be created. Try again with: ${again}`,
    );
  try {
    await writeFile(path, `${JSON.stringify(receipt)}\n`);
  } catch (cause) {
    throw new UsageError(
      `cannot write the receipt to ${path}: ${(cause as Error).message}. The call is recorded; print its receipt with: ${again}`,
      { cause },
    );
  }
}
