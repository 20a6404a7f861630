import { expect, test } from 'vitest';
import { aSkill } from '../testing/a-skill.ts';
import { ids } from '../testing/ask.ts';
import { selectSkills } from './skill-selector.ts';

test('puts dependencies first, and then the lowest skill that is ready', () => {
  const skills = [
    aSkill('a', { priority: 1, requires: { late: '*' } }),
    aSkill('b', { priority: 2 }),
    aSkill('late', { priority: 90 }),
    aSkill('last', { priority: 91 }),
  ];
  expect(ids(skills)).toEqual(['b', 'late', 'a', 'last']);
});

test('required context occurs once, with all skills that require it', () => {
  const file = { type: 'file', path: 'package.json' };
  const skills = [
    aSkill('a', { context: [{ ...file, description: 'the first says what for' }, { type: 'git_status' }] }),
    aSkill('b', { context: [file, file, { type: 'phase_artifact', path: 'package.json' }] }),
    aSkill('c', { context: [{ type: 'item_metadata' }], phases: ['q'] }),
  ];
  expect(selectSkills({ skills }, { phase: 'p' }).context).toEqual([
    { requirement: { ...file, description: 'the first says what for' }, skills: ['a', 'b'] },
    { requirement: { type: 'git_status' }, skills: ['a'] },
    { requirement: { type: 'phase_artifact', path: 'package.json' }, skills: ['b'] },
  ]);
});

test.each(['__proto__', 'constructor', 'toString'])('the name %s is treated like any other', (name) => {
  const skills = [aSkill('a')];
  const { tools, warnings } = selectSkills({ skills, phases: {}, agents: {} }, { phase: name, agent: name });
  expect([tools.from, warnings]).toEqual([
    'unknown-phase',
    [
      `the phase "${name}" is not configured, so it has no tools; no phases are configured`,
      `the agent "${name}" is not configured, and no skill names it; no agents are configured`,
    ],
  ]);
  const phases = Object.fromEntries([[name, { tools: ['Read'] }]]);
  expect(selectSkills({ skills, phases }, { phase: name }).tools.allowed).toEqual(['Read']);
});

test('an agent that neither the configuration nor a skill names is a warning', () => {
  const catalog = { skills: [aSkill('a', { agents: ['dev'] })], agents: { ops: { skills: ['a'] } } };
  expect(['dev', 'ops', 'nosuch'].map((agent) => selectSkills(catalog, { agent }).warnings)).toEqual([
    [],
    [],
    ['the agent "nosuch" is not configured, and no skill names it; configured agents: ops'],
  ]);
});

test('a phase that neither the configuration nor a skill names is a warning with the nearest phase', () => {
  const skills = [aSkill('a', { phases: ['plan', 'implement'] }), aSkill('b', { phases: ['plan'] })];
  expect(selectSkills({ skills }, { phase: 'implemnt' }).warnings).toEqual([
    'no skill names the phase "implemnt"; the skills name: implement, plan; did you mean implement?',
    'the phase "implemnt" is not configured, so it has no tools; no phases are configured',
  ]);
  expect(selectSkills({ skills, phases: { deploy: {} } }, { phase: 'deploy' }).warnings).toEqual([]);
});

test('phases that differ only in case are one, and a warning names the one that is used', () => {
  const phases = { Plan: { tools: ['Read'] }, plan: { tools: ['Write'] } };
  const { tools, warnings } = selectSkills({ skills: [], phases }, { phase: 'PLAN' });
  expect([tools.allowed, warnings]).toEqual([
    ['Read'],
    ['phase plan differs from Plan only in case and is ignored; remove one of the two'],
  ]);
});
