// What users of wreckit's backends and of agentium's adapters rely on: what was selected reaches each agent.
import { expect, test } from 'vitest';
import { type AgentTarget, agentSettings, agentTargets } from '../../packages/agents/src/index.ts';
import { selectSkills } from '../../packages/core/src/index.ts';
import { aSkill } from '../../packages/core/src/select/testing/a-skill.ts';

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

/** Where an agent is told that it may save with the tracker, and how it is refused the shell, as far as it can be. */
const saves: Partial<Record<AgentTarget, RegExp>> = {
  'claude-code': /mcp__tracker__save/,
  'claude-sdk': /mcp__tracker__save/,
  codex: /\\"tracker\\" = .*\\"enabled_tools\\" = \[\\"save\\"\]/,
  opencode: /tracker_save/,
  amp: /mcp__tracker__save/,
  process: /mcp__tracker__save/,
};

test.each(agentTargets)('%s gets the prompt, the tools and the servers of the selection', (target) => {
  const text = settingsText(target, 'plan');
  expect(text).toContain('Plan it.');
  if (saves[target] !== undefined) {
    expect(text).toMatch(saves[target]);
    expect(text).toContain('tracker-mcp');
  }
  expect(text).not.toMatch(/"Bash"|Read,Bash|shell_tool=true/);
});

test('Aider, which has neither a list of tools nor servers, says so, and only answers', () => {
  const { tools, mcpServers } = selectSkills(catalog, { phase: 'plan' });
  const { args, limits } = agentSettings('aider', { prompt: 'Plan it.', tools, mcpServers });
  expect(args?.includes('--dry-run')).toBe(true);
  expect(limits.some((limit) => limit.includes('tracker'))).toBe(true);
});

test.each(agentTargets)('%s gets no tool in a phase that nobody configured', (target) => {
  for (const phase of ['none', 'nobody-knows']) {
    expect(settingsText(target, phase)).not.toMatch(/"Read"|"Grep"|shell_tool=true|Read,Grep/);
  }
});

test('a process is told the very list, in its environment and in its file', () => {
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
