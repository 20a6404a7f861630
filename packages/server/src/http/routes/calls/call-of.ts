import type { ExecuteBody } from '@ambit/api';
import type { ExecuteRequest } from '@ambit/core/execute';
import type { z } from 'zod';
import { stdinOf } from '../../../wire/stdin-of.ts';

/** The call in a body, and whether its response includes the contents of changed files. */
export function callOf({
  input,
  args,
  stdin,
  stdinBase64,
  script,
  command,
  files,
  context,
  workspace,
  workspaceOptional,
  fileContents,
  ...narrowing
}: Omit<z.output<typeof ExecuteBody>, 'receipt' | 'trial'> & { trial?: true }): {
  call: Pick<ExecuteRequest, 'input' | 'workspace' | 'workspaceOptional' | 'narrowing'>;
  hasContents: boolean;
} {
  return {
    call: {
      input: { input, args, stdin: stdinOf({ stdin, stdinBase64 }), script, command, files, context },
      workspace,
      workspaceOptional,
      narrowing,
    },
    hasContents: fileContents ?? workspace === undefined,
  };
}
