import { z } from 'zod';

/**
 * What a key may be used for. `skills:read` lists and shows skills, `skills:execute` runs them, `prompt` composes prompts
 * (their bodies among it), `audit:read` reads the log; `admin` is all of these. None of them makes keys.
 */
export const Scope = z.enum(['skills:read', 'skills:execute', 'prompt', 'audit:read', 'admin']);
export type Scope = z.output<typeof Scope>;
