import { z } from 'zod';

/** Matches the same texts with and without the `u` flag, which JSON Schema asks for and many clients leave out. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a label cannot contain
const noControlCharacters = /^[^\u0000-\u001f\u007f-\u009f]*$/;

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
