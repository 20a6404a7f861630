import type { ExecuteBody } from '@ambit/api';
import type { ExecuteRequest } from '@ambit/core/execute';
import type { z } from 'zod';
import { givenInput } from '../../../wire/given-input.ts';

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
  const decoded = givenInput({ stdin, stdinBase64, files });
  return {
    call: {
      // The digest of the input in the log depends on the order of these.
      input: { input, args, stdin: decoded.stdin, script, command, files: decoded.files, context },
      workspace,
      workspaceOptional,
      narrowing,
    },
    hasContents: fileContents ?? workspace === undefined,
  };
}
