import { expect, test } from 'vitest';
import { imported } from './support/imported.ts';

const skill = (id: string, tools: string[], more: object = {}) => ({
  id,
  name: id,
  description: `Does ${id}.`,
  tools,
  ...more,
});

test('imports a complete wreckit file: phases, tools, context, and the tools of its phases', async () => {
  const { report, skills } = await imported('wreckit', {
    'skills.json': JSON.stringify({
      phase_skills: {
        research: ['outline'],
        plan: ['outline', 'lost'],
        implement: ['build', 'outline'],
        pr: [],
        complete: ['check', 'lost', 'build'],
      },
      skills: [
        skill('outline', ['Read', 'Write']),
        skill('build', ['Bash', 'Edit'], {
          required_context: [
            { type: 'file', path: 'src/', description: 'the sources' },
            { type: 'git_status' },
            { type: 'item_metadata' },
            { type: 'phase_artifact', path: 'plan.md' },
          ],
        }),
        skill('check', ['Read']),
        skill('spare', []),
      ],
    }),
  });
  expect([...skills.values()].map(({ id, sidecar: { phases, tools } }) => [id, phases, tools])).toEqual([
    ['build', ['implement', 'complete'], ['Bash', 'Edit']],
    ['check', ['complete'], ['Read']],
    ['outline', ['research', 'plan', 'implement'], ['Read', 'Write']],
    ['spare', ['on-request'], []],
  ]);
  expect(skills.get('build')?.sidecar.context).toEqual([
    { type: 'file', path: 'src/', description: 'the sources' },
    { type: 'git_status' },
    { type: 'item_metadata' },
    { type: 'phase_artifact', path: 'plan.md' },
  ]);
  expect(report.settings.phases).toEqual({
    research: { tools: ['Read', 'Write', 'Glob', 'Grep'], skills: ['outline'] },
    plan: {
      tools: ['Read', 'Write', 'Edit', 'Glob', 'Grep', 'mcp__wreckit__save_prd'],
      required: ['mcp__wreckit__save_prd'],
      skills: ['outline'],
    },
    implement: {
      tools: ['Read', 'Write', 'Edit', 'Glob', 'Grep', 'Bash', 'mcp__wreckit__update_story_status'],
      required: ['mcp__wreckit__update_story_status'],
      skills: ['build', 'outline'],
    },
    pr: { tools: ['Read', 'Glob', 'Grep', 'Bash'], skills: [] },
    complete: { tools: ['Read', 'Bash', 'Edit'], skills: ['check', 'build'] },
  });
  expect(report.lines.map(({ kind, about, text }) => `${kind} ${about} ${text}`)).toEqual([
    'left-out lost is mapped to plan, complete, but no such skill exists',
    'changed spare is mapped to no phase; it gets the phase on-request and is selected only by name',
    'changed phases.complete has no tools defined by wreckit; it gets the tools that its skills ask for',
  ]);
});
