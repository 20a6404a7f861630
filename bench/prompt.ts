import {
  type CompositionInput,
  composePrompt,
  type Selection,
  type Skill,
} from '../packages/core/src/index.ts';
import { promptComposer } from '../packages/core/src/prompt.ts';
import { emptySidecar } from '../packages/core/src/skill.ts';
import { compare, formatTable } from './compare.ts';

const catalogSize = 1000;
const target = 2000;

/**
 * The cost of composing a prompt with some of a thousand skills, by a composer that has composed
 * before.
 */
export async function promptBench(_folder: string, rounds: number): Promise<void> {
  const compose = promptComposer();
  const contender = (name: string, input: CompositionInput, run = compose) => ({
    name,
    inARow: 20,
    run: async () => {
      const { prompt } = run(input);
      const last = input.selection.skills.at(-1)?.skill.id;
      if (!prompt.includes(`${last}`)) throw new Error(`${last} is not in the prompt`);
    },
  });
  const [ten, hundred] = [compositionOf(10), compositionOf(100)];
  const timings = await compare(
    [
      contender('metadata of 10', ten),
      contender('metadata of 100', hundred),
      contender('bodies of 10', { ...ten, disclosure: 'bodies' }),
      contender('metadata of 100, 10 active, with a budget', {
        ...hundred,
        active: ten.selection.skills.map(({ skill }) => skill.id),
        budgetTokens: 100_000,
      }),
      contender('metadata of 100, first time', hundred, composePrompt),
    ],
    rounds,
  );
  console.log(formatTable(`A prompt with some of ${catalogSize} skills`, timings));
  const perSecond = timings.map(({ medianMs }) => Math.round(1000 / medianMs));
  for (const [index, rate] of perSecond.slice(0, -1).entries()) {
    const verdict = rate >= target ? 'reached' : 'missed ';
    console.log(`  ${verdict}  at least ${target} per second: ${timings[index]?.name}: ${rate}`);
  }
  console.log('');
}

/** The parts of a prompt with the metadata of so many of the skills. */
export function compositionOf(count: number): CompositionInput {
  const skills = Array.from({ length: catalogSize }, (_, index) => someSkill(index));
  const selection: Selection = {
    skills: skills
      .slice(0, count)
      .map((skill) => ({ skill, because: { kind: 'phase', phase: 'plan' }, tokens: null })),
    leftOut: skills.slice(count).map(({ id }) => ({ id, reason: { kind: 'phase', its: ['implement'] } })),
    tools: { allowed: ['Read', 'Grep'], withheld: [], beyondPhase: [], from: 'configured' },
    mcpServers: { servers: {}, origins: {}, refused: [] },
    context: [],
    warnings: [],
  };
  const systemPrompt = `<identity>You plan changes to {{project}}.</identity>\n\n${'Be brief, and say what you do not know.\n'.repeat(50)}`;
  return { systemPrompt, selection, variables: { project: 'a library' } };
}

function someSkill(index: number): Skill {
  const id = `skill-${index}`;
  return {
    id,
    manifest: {
      name: id,
      description: `Profiles table ${index}: columns, types, missing values. Use when asked what is in it.`,
      license: undefined,
      compatibility: undefined,
      metadata: {},
      allowedTools: [],
    },
    sidecar: emptySidecar,
    body: `# Skill ${index}\n\n${'- Read the first rows, then say what each column & its type means.\n'.repeat(50)}`,
    digest: 'sha256:d',
    files: [],
    scripts: [],
    tier: 'local',
    root: `/srv/skills/${id}`,
    warnings: [],
  };
}
