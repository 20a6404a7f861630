import { type Catalog, isExecutable, type Skill } from '@ambit/core';
import { z } from 'zod';
import type { Prompts } from './prompts.ts';

/** Filters of the catalog. An absent field does not filter. */
export const SkillQuery = z.strictObject({
  executable: z
    .enum(['true', 'false'])
    .meta({ type: 'boolean' })
    .optional()
    .describe('Whether the skill has something to run.'),
  q: z
    .string()
    .max(200)
    .optional()
    .describe(
      'Words that must all occur in the id, the alias, the description or a tag, regardless of case.',
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

/**
 * The matching skills: in the order of the selection if `phase`, `agent` or `tag` is given, else by
 * id.
 */
export async function findSkills(
  catalog: Catalog,
  prompts: Pick<Prompts, 'select'>,
  query: SkillQuery,
): Promise<readonly Skill[]> {
  return (await selected(catalog, prompts, query)).filter((skill) => fits(skill, query));
}

async function selected(
  catalog: Catalog,
  prompts: Pick<Prompts, 'select'>,
  { phase, agent, tag }: SkillQuery,
): Promise<readonly Skill[]> {
  if (phase === undefined && agent === undefined && tag === undefined) return catalog.list();
  const { skills } = await prompts.select({ phase, agent, tags: tag === undefined ? undefined : [tag] });
  return skills.map(({ skill }) => skill);
}

function fits(
  { id, alias = '', manifest, sidecar, scripts }: Skill,
  { executable, q = '' }: SkillQuery,
): boolean {
  if (executable !== undefined && isExecutable({ sidecar, scripts }) !== (executable === 'true'))
    return false;
  const text = [id, alias, manifest.description, ...sidecar.tags].join('\n').toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
