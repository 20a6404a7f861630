import type { ExecuteRequest } from '@ambit/core/execute';
import type { z } from 'zod';
import type { ExecuteBody } from './execute-body.ts';

/** The call in a body, and whether its response includes the contents of changed files. */
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
