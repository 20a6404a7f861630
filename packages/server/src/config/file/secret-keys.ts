import { z } from 'zod';
import type { anchoredPath } from './plain-values.ts';

/** A secret's name. */
export const SecretName = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_]*$/,
    'write a name in the form of an environment variable, such as GITHUB_TOKEN',
  );

/** The source of a secret. */
export function secretPlace(path: ReturnType<typeof anchoredPath>) {
  return z.union(
    [
      z.strictObject({ env: SecretName }),
      z.strictObject({ file: path }),
      z.strictObject({ command: z.array(z.string()).min(1) }),
    ],
    'write { env: NAME }, { file: PATH } or { command: [PROGRAM, ARGUMENT, …] }',
  );
}
