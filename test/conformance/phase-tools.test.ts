// Threat model: T124

// The features of wreckit's phase-specific skills that users rely on, and their faults, which must not return.
import { describe, expect, test } from 'vitest';
import { type Selection, selectSkills } from '../../packages/core/src/index.ts';
import { aSkill } from '../../packages/core/src/testing/a-skill.ts';

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
  ])('allows in %s the tools that its skills request, in the order of the phase', (phase, allowed) => {
    expect(inPhase(phase).tools.allowed).toEqual(allowed);
  });

  test('denies tools beyond the phase: Edit and Write in pr', () => {
    expect(inPhase('pr').tools.beyondPhase).toEqual([
      { tool: 'Edit', skills: ['open-the-request'] },
      { tool: 'Write', skills: ['open-the-request'] },
    ]);
  });

  test('withholds what no skill requests, except required tools', () => {
    const without = { plan: { ...phases.plan, required: [] } };
    const { tools } = selectSkills({ skills, phases: without }, { phase: 'plan' });
    expect(tools.withheld).toEqual(['mcp__wreckit__save_prd']);
    expect(inPhase('plan').tools.withheld).toEqual([]);
  });

  test('leaves the tools of a phase without skills unchanged', () => {
    const { skills: selected, tools, context } = inPhase('complete');
    expect([selected, tools.allowed, tools.from, context]).toEqual([[], ['Read', 'Bash'], 'unnarrowed', []]);
  });

  test('allows no tools in a phase without configuration, and warns', () => {
    const { tools, warnings } = inPhase('deploy');
    expect([tools.allowed, tools.from]).toEqual([[], 'unknown-phase']);
    expect(warnings).toEqual([
      'no skill names the phase "deploy"; the skills name: by-configuration-only',
      'the phase "deploy" is not configured, so it has no tools; configured phases: research, plan, implement, pr, complete, broken',
    ]);
  });
});

test('skips and reports an unknown id in a phase', () => {
  const { skills: selected, leftOut, tools } = inPhase('broken');
  expect(selected.map(({ skill }) => skill.id)).toEqual(['map-the-code']);
  expect(leftOut.at(-1)).toEqual({
    id: 'gone',
    reason: { kind: 'unknown', namedBy: 'phases.broken.skills' },
  });
  expect(tools.allowed).toEqual(['Read', 'Glob']);
});

test("adds a skill's MCP server by a grant and never replaces the agent's own", () => {
  const server = { command: 'search-server' };
  const bringing = aSkill('bringing', { mcpServers: { search: server, wreckit: server } });
  const mcpServers = { bringing: { search: server, wreckit: server } };
  const own = { wreckit: { command: 'wreckit' } };
  const { mcpServers: effective } = selectSkills({ skills: [bringing], mcpServers }, { mcpServers: own });
  expect(effective.servers).toEqual({ wreckit: { command: 'wreckit' }, search: server });
  expect(selectSkills({ skills: [bringing] }, { mcpServers: own }).mcpServers.servers).toEqual(own);
});
