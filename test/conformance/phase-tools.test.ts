// What users of wreckit's phase-specific skills rely on, and the faults of it that must not come back.
import { describe, expect, test } from 'vitest';
import { type Selection, selectSkills } from '../../packages/core/src/index.ts';
import { aSkill } from '../../packages/core/src/select/testing/a-skill.ts';

const skills = [
  aSkill('map-the-code', { tools: ['Read', 'Glob', 'Grep'], context: [{ type: 'git_status' }] }),
  aSkill('write-notes', { tools: ['Read', 'Write', 'Glob'] }),
  aSkill('shape-stories', { tools: ['Read', 'Write', 'Edit', 'Grep'] }),
  aSkill('build-it', {
    tools: ['Read', 'Write', 'Edit', 'Glob', 'Grep', 'Bash', 'mcp__wreckit__update_story_status'],
  }),
  aSkill('open-the-request', { tools: ['Read', 'Glob', 'Grep', 'Bash', 'Edit', 'Write'] }),
  aSkill('mapped-to-nothing', { tools: ['WebFetch'] }),
].map((skill) => ({ ...skill, sidecar: { ...skill.sidecar, phases: ['by-configuration-only'] } }));

const phases = {
  research: { tools: ['Read', 'Write', 'Glob', 'Grep'], skills: ['map-the-code', 'write-notes'] },
  plan: {
    tools: ['Read', 'Write', 'Edit', 'Glob', 'Grep', 'mcp__wreckit__save_prd'],
    required: ['mcp__wreckit__save_prd'],
    skills: ['shape-stories', 'write-notes'],
  },
  implement: {
    tools: ['Read', 'Write', 'Edit', 'Glob', 'Grep', 'Bash', 'mcp__wreckit__update_story_status'],
    skills: ['build-it'],
  },
  pr: { tools: ['Read', 'Glob', 'Grep', 'Bash'], skills: ['open-the-request'] },
  complete: { tools: ['Read', 'Bash'] },
  broken: { tools: ['Read', 'Glob'], skills: ['gone', 'map-the-code'] },
};

function inPhase(phase: string): Selection {
  return selectSkills({ skills, phases }, { phase });
}

describe('the tools of a phase', () => {
  test.each([
    ['research', ['Read', 'Write', 'Glob', 'Grep']],
    ['plan', ['Read', 'Write', 'Edit', 'Glob', 'Grep', 'mcp__wreckit__save_prd']],
    ['implement', ['Read', 'Write', 'Edit', 'Glob', 'Grep', 'Bash', 'mcp__wreckit__update_story_status']],
    ['pr', ['Read', 'Glob', 'Grep', 'Bash']],
  ])('%s are the ones that its skills ask for, in its order', (phase, allowed) => {
    expect(inPhase(phase).tools.allowed).toEqual(allowed);
  });

  test('hold against skills that ask for more: Edit and Write stay denied in pr', () => {
    expect(inPhase('pr').tools.beyondPhase).toEqual([
      { tool: 'Edit', skills: ['open-the-request'] },
      { tool: 'Write', skills: ['open-the-request'] },
    ]);
  });

  test('lose what no skill asks for, and never what is required', () => {
    const without = { plan: { ...phases.plan, required: [] } };
    const { tools } = selectSkills({ skills, phases: without }, { phase: 'plan' });
    expect(tools.withheld).toEqual(['mcp__wreckit__save_prd']);
    expect(inPhase('plan').tools.withheld).toEqual([]);
  });

  test('stay as they are in a phase without skills, where nothing is loaded', () => {
    const { skills: selected, tools, context } = inPhase('complete');
    expect([selected, tools.allowed, tools.from, context]).toEqual([[], ['Read', 'Bash'], 'unnarrowed', []]);
  });

  test('are none in a phase that nobody configured, and it says so', () => {
    const { tools, warnings } = inPhase('deploy');
    expect([tools.allowed, tools.from]).toEqual([[], 'unknown-phase']);
    expect(warnings).toEqual([
      'the phase "deploy" is not configured, so it has no tools; configured phases: research, plan, implement, pr, complete, broken',
    ]);
  });
});

test('an unknown id in a phase is passed over and reported', () => {
  const { skills: selected, leftOut, tools } = inPhase('broken');
  expect(selected.map(({ skill }) => skill.id)).toEqual(['map-the-code']);
  expect(leftOut.at(-1)).toEqual({
    id: 'gone',
    reason: { kind: 'unknown', namedBy: 'phases.broken.skills' },
  });
  expect(tools.allowed).toEqual(['Read', 'Glob']);
});

test('a skill’s MCP server comes by a grant and never in the place of the agent’s own', () => {
  const server = { command: 'search-server' };
  const bringing = aSkill('bringing', { mcpServers: { search: server, wreckit: server } });
  const mcpServers = { bringing: { search: server, wreckit: server } };
  const own = { wreckit: { command: 'wreckit' } };
  const { mcpServers: effective } = selectSkills({ skills: [bringing], mcpServers }, { mcpServers: own });
  expect(effective.servers).toEqual({ wreckit: { command: 'wreckit' }, search: server });
  expect(selectSkills({ skills: [bringing] }, { mcpServers: own }).mcpServers.servers).toEqual(own);
});
