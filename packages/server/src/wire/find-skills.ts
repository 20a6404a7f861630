import { type Catalog, isExecutable, type Skill } from '@ambit/core';
import { z } from 'zod';
import type { Prompts } from './prompts.ts';

/** Which skills of the catalog; what is absent does not narrow. */
export const SkillQuery = z.strictObject({
  executable: z
    .enum(['true', 'false'])
    .meta({ type: 'boolean' })
    .optional()
    .describe('Only those with something to run, or without.'),
  q: z
    .string()
    .max(200)
    .optional()
    .describe(
      'Words, each of which has to stand in the id, the description or a tag; compared without case.',
    ),
  phase: z
    .string()
    .max(200)
    .optional()
    .describe('Those that a prompt would get for this phase, dependencies among them.'),
  agent: z.string().max(200).optional().describe('Those that a prompt would get for this agent.'),
  tag: z.string().max(200).optional().describe('Those that a prompt would get for this tag.'),
});
export type SkillQuery = z.output<typeof SkillQuery>;

/** The skills that fit, in the selection's order where the query says for what, else by id. Rejects as `select` does. */
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

function fits({ id, manifest, sidecar, scripts }: Skill, { executable, q = '' }: SkillQuery): boolean {
  if (executable !== undefined && isExecutable({ sidecar, scripts }) !== (executable === 'true'))
    return false;
  const text = [id, manifest.description, ...sidecar.tags].join('\n').toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
