import { z } from 'zod';

/**
 * What a key may be used for. `skills:read` lists and shows skills, `skills:execute` runs them, `prompt` composes prompts
 * (their bodies among it), `audit:read` reads the log, `metrics` is for whoever scrapes them; `admin` is all of these. None of them makes keys.
 */
export const Scope = z.enum(['skills:read', 'skills:execute', 'prompt', 'audit:read', 'metrics', 'admin']);
export type Scope = z.output<typeof Scope>;
