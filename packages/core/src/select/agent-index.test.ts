import { expect, test } from 'vitest';
import { aSkill } from '../testing/a-skill.ts';
import { agentIndex, agentIndexer } from './agent-index.ts';

const catalog = {
  skills: [
    aSkill('anyones'),
    aSkill('named', { agents: ['dev'], priority: 60 }),
    aSkill('early', { agents: ['dev', 'qa'], priority: 10 }),
    aSkill('given', {}, { metadata: { title: 'Given to Dev' } }),
    aSkill('both', { agents: ['dev'] }),
  ],
  agents: { dev: { skills: ['given', 'ghost', 'both', 'given'] }, idle: {} },
};

test('an agent’s index lists its configured skills in that order, then the skills that name it, by priority and id', () => {
  expect(agentIndex(catalog, 'dev')).toEqual([
    { id: 'given', name: 'Given to Dev', description: 'what given does', path: '/skills/given/SKILL.md' },
    { id: 'both', name: 'both', description: 'what both does', path: '/skills/both/SKILL.md' },
    { id: 'early', name: 'early', description: 'what early does', path: '/skills/early/SKILL.md' },
    { id: 'named', name: 'named', description: 'what named does', path: '/skills/named/SKILL.md' },
  ]);
});

test.each([null, undefined, '', '  ', 'nobody', 'idle', '__proto__', 'constructor'])(
  'the index of %j is empty',
  (agent) => {
    const indexOf = agentIndexer(catalog);
    expect(indexOf(agent)).toEqual([]);
    expect(indexOf('qa').map(({ id }) => id)).toEqual(['early']);
  },
);
