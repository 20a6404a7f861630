import type { ExecuteRequest } from '@ambit/core/execute';
import type { z } from 'zod';
import type { ExecuteBody } from './execute-body.ts';

/** What the body of a call asks for, and whether its answer has the bytes of changed files. */
export function callOf({
  input,
  args,
  stdin,
  script,
  files,
  context,
  workspace,
  fileContents,
  ...narrowing
}: Omit<z.output<typeof ExecuteBody>, 'receipt'>): {
  call: Pick<ExecuteRequest, 'input' | 'workspace' | 'narrowing'>;
  hasContents: boolean;
} {
  return {
    call: { input: { input, args, stdin, script, files, context }, workspace, narrowing },
    hasContents: fileContents ?? workspace === undefined,
  };
}
