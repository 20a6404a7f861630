import { z } from 'zod';

/**
 * Without Unicode properties: clients generated from the API document compile it without the `u`
 * flag.
 */
const noControlCharacters = /^[ -~\u00a0-\uffff]*$/;

/** The body of `POST /workspaces`. Absent fields use the configured defaults. */
export const WorkspaceBody = z.strictObject({
  quotaBytes: z
    .int('must be a whole number of bytes')
    .positive('must be at least 1 byte')
    .optional()
    .describe('The limit for all files together.'),
  expiresInSeconds: z
    .int('must be a whole number of seconds')
    .positive('must be at least 1 second')
    .optional()
    .describe('How long after its last use it expires.'),
  label: z
    .string()
    .max(200)
    .regex(noControlCharacters, 'a label cannot contain control characters')
    .optional()
    .describe('A label for its owner.'),
});
