// The features of iSDLC's skill index that users rely on: the entries of an agent, and that an index never
// fails.
import { expect, test } from 'vitest';
import { agentIndex } from '../../packages/core/src/index.ts';
import { aSkill } from '../../packages/core/src/testing/a-skill.ts';

const skills = [
  aSkill('release-notes', {}, { metadata: { title: 'Release Notes' } }),
  aSkill('unit-tests'),
  aSkill('trace', { agents: ['developer'] }),
  aSkill('reviewing', { agents: ['reviewer'] }),
];
const agents = { developer: { skills: ['unit-tests', 'never-written', 'release-notes'] } };

test('lists the skills that an agent owns in order and skips missing ones', () => {
  expect(agentIndex({ skills, agents }, 'developer')).toEqual([
    {
      id: 'unit-tests',
      name: 'unit-tests',
      description: 'what unit-tests does',
      path: '/skills/unit-tests/SKILL.md',
    },
    {
      id: 'release-notes',
      name: 'Release Notes',
      description: 'what release-notes does',
      path: '/skills/release-notes/SKILL.md',
    },
    { id: 'trace', name: 'trace', description: 'what trace does', path: '/skills/trace/SKILL.md' },
  ]);
});

test.each([null, undefined, '', ' ', 'unknown'])('returns an empty index for the agent %j', (agent) => {
  expect(agentIndex({ skills, agents }, agent)).toEqual([]);
  expect(agentIndex({ skills: [] }, agent)).toEqual([]);
});
