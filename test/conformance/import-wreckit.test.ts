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
        plan: ['outline', 'lost'],
        implement: ['build', 'outline'],
        complete: ['check', 'lost'],
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
    ['build', ['implement'], ['Bash', 'Edit']],
    ['check', ['complete'], ['Read']],
    ['outline', ['plan', 'implement'], ['Read', 'Write']],
    ['spare', ['on-request'], []],
  ]);
  expect(skills.get('build')?.sidecar.context).toEqual([
    { type: 'file', path: 'src/', description: 'the sources' },
    { type: 'git_status' },
    { type: 'item_metadata' },
    { type: 'phase_artifact', path: 'plan.md' },
  ]);
  expect(report.settings.phases).toEqual({
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
    complete: { tools: ['Read'], skills: ['check'] },
  });
  expect(report.lines.map(({ kind, about }) => [kind, about])).toEqual([
    ['left-out', 'lost'],
    ['changed', 'spare'],
    ['changed', 'phases.complete'],
  ]);
});
