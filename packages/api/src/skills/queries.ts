import { z } from 'zod';
import { count } from '../whole-number.ts';

/** Filters of the catalog. An absent field does not filter. */
export const SkillQuery = z.strictObject({
  executable: z
    .enum(['true', 'false'])
    .meta({ type: 'boolean' })
    .optional()
    .describe('Whether the skill has something to run.'),
  q: z
    .string()
    .max(10_000)
    .optional()
    .describe(
      'Words of a task. Skills with any of them in name, alias, tags, description or headings, the best match first. The first 64 words count.',
    ),
  phase: z
    .string()
    .max(200)
    .optional()
    .describe('Skills that a prompt for this phase would get, including their requirements.'),
  agent: z.string().max(200).optional().describe('Skills that a prompt for this agent would get.'),
  tag: z.string().max(200).optional().describe('Skills that a prompt for this tag would get.'),
});
export type SkillQuery = z.output<typeof SkillQuery>;

/** Skills on a page, and unusable folders on the first page. */
export const skillsMax = 1000;

/** The filters, and the page. */
export const SkillPageQuery = SkillQuery.extend({
  limit: count(skillsMax, `a page has at most ${skillsMax} skills`)
    .default(skillsMax)
    .describe('Skills per page.'),
  after: z
    .string()
    .max(300)
    .optional()
    .describe('The `next` of the previous page: continue after that skill.'),
});
export type SkillPageQuery = z.output<typeof SkillPageQuery>;
