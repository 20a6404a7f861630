import { z } from 'zod';

/** The schema of a signed statement in a file. Unknown members are refused. */
export function signedStatement<Statement extends z.ZodType>(statement: Statement) {
  return z.strictObject({
    statement,
    keyId: z.string().regex(/^[0-9a-f]{64}$/),
    signature: z.base64(),
  });
}
