import { z } from 'zod';
import { confirmationHeader } from '../../console/session-cookie.ts';

/** The request headers of a decision. Admission reads them; here they are for the reference. */
export const ConfirmationHeaders = z.object({
  [confirmationHeader]: z
    .string()
    .optional()
    .describe('For a session of the web console: a code of `ambit console confirm`, for this one request.'),
});
