import { z } from 'zod';

/** Without Unicode properties, because programs made from the API document compile it without the `u` flag. */
const noControlCharacters = /^[ -~\u00a0-\uffff]*$/;

/** The body of `POST /workspaces`; absent: as the configuration has it. */
export const WorkspaceBody = z.strictObject({
  quotaBytes: z
    .int('write a number of bytes')
    .positive('write a number of bytes above 0')
    .optional()
    .describe('For the contents of all files together.'),
  expiresInSeconds: z
    .int('write a number of seconds')
    .positive('write a number of seconds above 0')
    .optional()
    .describe('So long after its last use it is gone.'),
  label: z
    .string()
    .max(200)
    .regex(noControlCharacters, 'a label has no control characters')
    .optional()
    .describe('What its owner calls it.'),
});
