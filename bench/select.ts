import { type SelectionRequest, type Skill, selectSkills } from '../packages/core/src/index.ts';
import { estimateTokens } from '../packages/core/src/prompt.ts';
import { agentIndexer, type SelectionCatalog, skillSelector } from '../packages/core/src/select.ts';
import { readManifest, readSidecar } from '../packages/core/src/skill.ts';
import { type Contender, compare, formatTable, verdict } from './compare.ts';

const count = 10_000;
const targets = { selectionMs: 5, indexMs: 1, ofScan: 3 };

/**
 * Selection from ten thousand skills, prepared per call and prepared in advance, and the index of
 * an agent, next to a linear scan of the same objects.
 */
export async function selectBench(_folder: string, rounds: number): Promise<void> {
  const catalog = bigCatalog();
  const select = skillSelector(catalog);
  const indexOf = agentIndexer(catalog);
  const asking = (name: string, request: SelectionRequest, selected: number): Contender => ({
    name,
    run: async () => {
      const { skills, leftOut } = select(request);
      if (skills.length !== selected || skills.length + leftOut.length !== count) {
        throw new Error(`${name}: ${skills.length} were selected and ${leftOut.length} left out`);
      }
    },
  });
  const all = catalog.skills.map(({ id }) => id);
  const timings = await compare(
    [
      {
        name: 'linear scan: a phase and an agent',
        run: async () => demand(scan(catalog.skills, 'plan', 'agent-3') === 100, 'wrong scan'),
      },
      asking('a phase and an agent', { phase: 'plan', agent: 'agent-3' }, 100),
      asking('all are selected', {}, count),
      asking('all but one are left out', { phase: 'none', include: ['skill-9999'] }, 1),
      asking('all but one are excluded', { exclude: all.slice(0, -1) }, 1),
      asking('a budget of 8,000 tokens', { budgetTokens: 8000 }, Math.floor(8000 / estimateTokens(body))),
      asking('a budget that fits all', { budgetTokens: 10_000_000 }, count),
      { name: 'an agent’s index', run: async () => demand(indexOf('agent-3').length === 400, 'wrong index') },
    ],
    rounds,
  );
  const cold = await compare(
    [
      {
        name: 'estimateTokens over one body',
        run: async () => demand(estimateTokens(body) > 0, 'wrong estimate'),
      },
      {
        name: 'prepared per call',
        run: async () => demand(selectSkills(catalog, {}).skills.length === count, 'wrong selection'),
      },
      {
        name: 'with every body counted',
        run: async () =>
          demand(
            selectSkills(catalog, { budgetTokens: 10_000_000 }).skills.length === count,
            'wrong selection',
          ),
      },
      {
        name: 'an agent’s index',
        run: async () => demand(agentIndexer(catalog)('agent-3').length === 400, 'wrong index'),
      },
    ],
    Math.max(5, Math.ceil(rounds / 20)),
  );
  const selections = timings.slice(1, -1);
  const slowest = Math.max(...selections.map(({ medianMs }) => medianMs));
  const ofScan = Math.max(...selections.map(({ ratio }) => ratio));
  const index = timings.at(-1)?.medianMs ?? Number.NaN;
  console.log(`${formatTable(`Over ${count} skills, warm`, timings)}\n`);
  verdict(
    ofScan <= targets.ofScan,
    `a selection takes at most ${targets.ofScan} × the scan: ${ofScan.toFixed(2)} ×`,
  );
  verdict(
    slowest <= targets.selectionMs,
    `at most ${targets.selectionMs} ms for a selection: ${slowest.toFixed(2)} ms`,
  );
  verdict(
    index <= targets.indexMs,
    `at most ${targets.indexMs} ms for an agent’s index: ${index.toFixed(2)} ms\n`,
  );
  console.log(`${formatTable(`Over ${count} skills, cold`, cold)}\n`);
}

/** The number of skills for a phase and an agent, without order, requirements, conflicts or tools. */
function scan(skills: readonly Skill[], phase: string, agent: string): number {
  const names = (all: readonly string[], one: string): boolean => all.length === 0 || all.includes(one);
  return skills.filter(({ sidecar }) => names(sidecar.phases, phase) && names(sidecar.agents, agent)).length;
}

function demand(holds: boolean, what: string): void {
  if (!holds) throw new Error(`${what}`);
}

const body = '# How to do it\n\nRead the file before you change it, and say what you found.\n'.repeat(6);

/**
 * One in ten requires its neighbour and one in ten has a conflict with a missing skill. Phases,
 * agents and tools alternate.
 */
function bigCatalog(): SelectionCatalog {
  const phases = ['plan', 'implement', 'test', 'ship'];
  const skills = Array.from({ length: count }, (_, at): Skill => {
    const id = `skill-${at}`;
    const its = {
      version: '1.2.0',
      priority: (at * 7) % 100,
      phases: [phases[at % 4], 'review'],
      agents: [`agent-${at % 25}`],
      tools: ['Read', 'Grep', `tool-${at % 50}`],
      requires: at % 10 === 1 ? { [`skill-${at + 1}`]: '^1.0.0' } : {},
      conflicts: at % 10 === 5 ? [`legacy-${at}`] : [],
      context: at % 5 === 0 ? [{ type: 'file', path: `docs/${at % 100}.md` }, { type: 'git_status' }] : [],
    };
    const { manifest } = readManifest(`---\nname: ${id}\ndescription: what ${id} does\n---\n`, id);
    return {
      id,
      manifest,
      sidecar: readSidecar(JSON.stringify(its)),
      body,
      digest: `sha256:${at}`,
      files: [],
      scripts: [],
      tier: 'local',
      root: `/skills/${id}`,
      warnings: [],
    };
  });
  return { skills, phases: { plan: { tools: ['Read', 'Edit'], required: ['Edit'] } } };
}
