import { z } from 'zod';

/**
 * The rights of a key. `skills:read` lists and shows skills, `skills:execute` runs them, `prompt`
 * composes prompts, including skill bodies, `audit:read` reads the log, `metrics` reads the
 * metrics and lists the nodes of a cluster, `approve` installs skills and decides about them; `admin` is all of these. No scope
 * creates keys.
 */
export const Scope = z.enum([
  'skills:read',
  'skills:execute',
  'prompt',
  'audit:read',
  'metrics',
  'approve',
  'admin',
]);
export type Scope = z.output<typeof Scope>;
