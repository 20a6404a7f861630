// What users of wreckit's backends and agentium's adapters rely on: each agent receives the
// selection.
import { expect, test } from 'vitest';
import { type AgentTarget, agentSettings, agentTargets } from '../../packages/agents/src/index.ts';
import { selectSkills } from '../../packages/core/src/index.ts';
import { aSkill } from '../../packages/core/src/testing/a-skill.ts';

const tracker = { command: 'tracker-mcp' };
const skills = [
  aSkill('note', { tools: ['Read', 'Write', 'Bash', 'mcp__tracker__save'], mcpServers: { tracker } }),
];
const catalog = {
  skills,
  phases: {
    plan: { tools: ['Read', 'Grep', 'mcp__tracker__save'] },
    none: { tools: [] },
  },
  mcpServers: { note: { tracker } },
};

function settingsText(target: AgentTarget, phase: string): string {
  const { tools, mcpServers } = selectSkills(catalog, { phase });
  const { limits: _, ...settings } = agentSettings(target, { prompt: 'Plan it.', tools, mcpServers });
  return JSON.stringify(settings);
}

/** How each agent is allowed to save with the tracker. */
const saves: Partial<Record<AgentTarget, RegExp>> = {
  'claude-code': /mcp__tracker__save/,
  'claude-sdk': /mcp__tracker__save/,
  codex: /\\"tracker\\" = .*\\"enabled_tools\\" = \[\\"save\\"\]/,
  opencode: /tracker_save/,
  amp: /mcp__tracker__save/,
  process: /mcp__tracker__save/,
};

test.each(agentTargets)('gives %s the prompt, tools and servers of the selection', (target) => {
  const text = settingsText(target, 'plan');
  expect(text).toContain('Plan it.');
  if (saves[target] !== undefined) {
    expect(text).toMatch(saves[target]);
    expect(text).toContain('tracker-mcp');
  }
  expect(text).not.toMatch(/"Bash"|Read,Bash|shell_tool=true/);
});

test('reports the limits of Aider, which has no list of tools and no servers, and runs it read-only', () => {
  const { tools, mcpServers } = selectSkills(catalog, { phase: 'plan' });
  const { args, limits } = agentSettings('aider', { prompt: 'Plan it.', tools, mcpServers });
  expect(args?.includes('--dry-run')).toBe(true);
  expect(limits.some((limit) => limit.includes('tracker'))).toBe(true);
});

test.each(agentTargets)('gives %s no tools in a phase without configuration', (target) => {
  for (const phase of ['none', 'nobody-knows']) {
    expect(settingsText(target, phase)).not.toMatch(/"Read"|"Grep"|shell_tool=true|Read,Grep/);
  }
});

test('passes a process the exact list in its environment and in its file', () => {
  const { tools, mcpServers } = selectSkills(catalog, { phase: 'plan' });
  const { env, files } = agentSettings('process', { prompt: 'Plan it.', tools, mcpServers });
  const allowed = ['Read', 'mcp__tracker__save'];
  expect(JSON.parse(env?.['AMBIT_ALLOWED_TOOLS'] ?? '')).toEqual(allowed);
  expect(JSON.parse(files?.[0]?.content ?? '')).toMatchObject({
    allowedTools: allowed,
    withheldTools: ['Grep'],
    mcpServers: { tracker },
  });
});
