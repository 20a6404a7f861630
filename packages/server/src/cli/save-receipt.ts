import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SkillError } from '@ambit/core';
import type { Answered } from '../wire/answer/execute-answer.ts';
import { CliError } from './cli-error.ts';
import type { Terminal } from './terminal.ts';

/**
 * Writes the receipt of a call to a file, and gives back what came of the call; a refusal has one too. Without a file
 * nothing is written. Throws `USAGE_INVALID` when it cannot be: the call is recorded by then.
 */
export async function receipted(
  { cwd }: Pick<Terminal, 'cwd'>,
  file: string | undefined,
  answer: Promise<Answered>,
): Promise<Answered> {
  if (file === undefined) return answer;
  const path = resolve(cwd(), file);
  try {
    const result = await answer;
    await save(path, result.receipt, result.executionId);
    return result;
  } catch (error) {
    if (!(error instanceof SkillError) || error.details['receipt'] === undefined) throw error;
    const { receipt, ...details } = error.details;
    await save(path, receipt, String(details['executionId'] ?? ''));
    throw new SkillError(error.code, error.message, { cause: error.cause, details });
  }
}

async function save(path: string, receipt: unknown, executionId: string): Promise<void> {
  if (receipt === undefined || receipt === null)
    throw new CliError(
      'USAGE_INVALID',
      `no receipt could be made for the call, which is recorded: ambit audit receipt ${executionId} tries again`,
    );
  try {
    await writeFile(path, `${JSON.stringify(receipt)}\n`);
  } catch (cause) {
    throw new CliError(
      'USAGE_INVALID',
      `the receipt cannot be written to ${path} (${(cause as Error).message}); the call is recorded: ambit audit receipt ${executionId} prints it`,
      { cause },
    );
  }
}
