import { describe, expect, test } from 'vitest';
import { aSkill } from '../testing/a-skill.ts';
import { ids } from '../testing/ask.ts';
import { leftOutText } from './reason-text.ts';
import type { SelectionRequest } from './selection.ts';
import { selectSkills } from './skill-selector.ts';

describe('a skill is a candidate', () => {
  const skills = [
    aSkill('anywhere'),
    aSkill('planner', { phases: ['Plan'] }),
    aSkill('tester', { phases: ['test', 'implement'], agents: ['qa'], tags: ['slow', 'ci'] }),
    aSkill('seller', { campaigns: ['Spring'], sections: ['Top'] }),
  ];

  test.each<[string, SelectionRequest, string[]]>([
    ['whatever it names, if the request is empty', {}, ['anywhere', 'planner', 'seller', 'tester']],
    [
      'for a phase that it names, without case and blanks',
      { phase: ' PLAN ' },
      ['anywhere', 'planner', 'seller'],
    ],
    ['for any phase, if it names none', { phase: 'deploy' }, ['anywhere', 'seller']],
    ['for a blank phase, if it names none', { phase: ' ' }, ['anywhere', 'seller']],
    ['for an agent that it names', { agent: 'qa' }, ['anywhere', 'planner', 'seller', 'tester']],
    ['for any agent, if it names none', { agent: 'dev' }, ['anywhere', 'planner', 'seller']],
    ['for an agent in exactly the written case', { agent: 'QA' }, ['anywhere', 'planner', 'seller']],
    ['whatever its tags, if the request has none', { tags: [] }, ['anywhere', 'planner', 'seller', 'tester']],
    ['for a campaign that it names', { campaign: 'SPRING' }, ['anywhere', 'planner', 'seller', 'tester']],
    ['if it matches every field of the request', { phase: 'test', agent: 'qa', tags: ['ci'] }, ['tester']],
    [
      'by its name',
      { phase: 'plan', agent: 'dev', include: ['tester'] },
      ['anywhere', 'planner', 'seller', 'tester'],
    ],
    [
      'unless it is excluded',
      { include: ['planner'], exclude: ['planner'] },
      ['anywhere', 'seller', 'tester'],
    ],
  ])('%s', (_, request, expected) => {
    expect(ids(skills, request)).toEqual(expected);
  });

  test('by its name without the namespace, if no other skill has it', () => {
    const named = [
      aSkill('acme:docx', { phases: ['x'] }),
      aSkill('acme:pdf', { phases: ['x'] }),
      aSkill('pdf'),
    ];
    expect(ids(named, { only: ['docx'] })).toEqual(['acme:docx']);
    expect(ids(named, { only: ['pdf'] })).toEqual(['pdf']);
    expect(ids(named, { phase: 'x', exclude: ['docx'] })).toEqual(['acme:pdf', 'pdf']);
    expect(ids(named, { phase: 'plan' }, { phases: { plan: { skills: ['docx'] } } })).toEqual([
      'acme:docx',
      'pdf',
    ]);
    const twins = [aSkill('acme:docx'), aSkill('far:docx')];
    expect(ids(twins, { only: ['docx'] })).toEqual([]);
    expect(ids(twins, {})).toEqual(['acme:docx', 'far:docx']);
    expect(ids(twins, { exclude: ['docx'] })).toEqual([]);
    expect(ids(twins, { exclude: ['acme:docx'] })).toEqual(['far:docx']);
  });

  test('for an agent that the configuration assigns it to, without being removed from others', () => {
    const agents = { dev: { skills: ['tester', 'anywhere'] } };
    expect(ids(skills, { phase: 'test', agent: 'dev' }, { agents })).toContain('tester');
    expect(ids(skills, { phase: 'test', agent: 'ops' }, { agents })).toEqual(['anywhere', 'seller']);
  });

  test('and any other skill is left out with the first reason against it', () => {
    const request = {
      phase: 'test',
      agent: 'dev',
      campaign: 'autumn',
      section: 'footer',
      exclude: ['anywhere'],
    };
    expect(selectSkills({ skills }, request).leftOut).toEqual([
      { id: 'anywhere', reason: { kind: 'excluded' } },
      { id: 'planner', reason: { kind: 'phase', its: ['plan'] } },
      { id: 'seller', reason: { kind: 'campaign', its: ['Spring'] } },
      { id: 'tester', reason: { kind: 'agent', its: ['qa'] } },
    ]);
    expect(selectSkills({ skills }, { section: 'footer', tags: ['ci'] }).leftOut[0]).toEqual({
      id: 'anywhere',
      reason: { kind: 'tags', its: [] },
    });
  });

  test('and is selected with the most explicit reason for it', () => {
    const { skills: selected } = selectSkills(
      {
        skills: [
          ...skills,
          aSkill('needed', { phases: ['x'] }),
          aSkill('needs', { requires: { needed: '*' } }),
        ],
        phases: { plan: { skills: ['tester'] } },
      },
      { phase: 'plan', include: ['seller'] },
    );
    expect(selected.map(({ skill, because }) => [skill.id, because])).toEqual([
      ['anywhere', { kind: 'every-phase' }],
      ['needed', { kind: 'dependency', of: 'needs' }],
      ['needs', { kind: 'every-phase' }],
      ['planner', { kind: 'phase', phase: 'plan' }],
      ['seller', { kind: 'included' }],
      ['tester', { kind: 'configured', phase: 'plan' }],
    ]);
    expect(selectSkills({ skills }, {}).skills[1]?.because).toEqual({ kind: 'no-phase' });
  });
});

test('the reason for an agent’s own skill names the configuration or the sidecar', () => {
  const skills = [aSkill('anywhere'), aSkill('tester', { agents: ['qa'] }), aSkill('writer')];
  const agents = { qa: { skills: ['writer', 'tester'] } };
  const because = (catalog: object, request: SelectionRequest) =>
    selectSkills({ skills, ...catalog }, request).skills.map((each) => [each.skill.id, each.because]);
  expect(because({}, { agent: 'qa', phase: 'test' })).toEqual([
    ['anywhere', { kind: 'every-phase' }],
    ['tester', { kind: 'agent', agent: 'qa', namedBy: 'sidecar' }],
    ['writer', { kind: 'every-phase' }],
  ]);
  expect(because({ agents }, { agent: 'qa', include: ['tester'] })).toEqual([
    ['anywhere', { kind: 'every-phase' }],
    ['tester', { kind: 'included' }],
    ['writer', { kind: 'agent', agent: 'qa', namedBy: 'configuration' }],
  ]);
});

test('unknown ids are reported with their origin, unless they are excluded', () => {
  const catalog = {
    skills: [aSkill('a')],
    phases: { Plan: { skills: ['ghost', 'a'] } },
    agents: { dev: { skills: ['a', 'gone'] } },
  };
  const request = {
    phase: 'plan',
    agent: 'dev',
    include: ['ghost', 'nobody', 'unwanted'],
    exclude: ['unwanted'],
  };
  expect(selectSkills(catalog, request).leftOut).toEqual([
    { id: 'ghost', reason: { kind: 'unknown', namedBy: 'phases.Plan.skills' } },
    { id: 'gone', reason: { kind: 'unknown', namedBy: 'agents.dev.skills' } },
    { id: 'ghost', reason: { kind: 'unknown', namedBy: 'include' } },
    { id: 'nobody', reason: { kind: 'unknown', namedBy: 'include' } },
  ]);
  expect(selectSkills(catalog, {}).leftOut).toEqual([]);
});

test('only selects the named skills and what they require', () => {
  const skills = [
    aSkill('anyone'),
    aSkill('planner', { phases: ['plan'], priority: 60 }),
    aSkill('seller', { phases: ['sell'], agents: ['shop'], priority: 20, requires: { stock: '*' } }),
    aSkill('stock', { phases: ['count'] }),
  ];
  const catalog = {
    skills,
    phases: { plan: { skills: ['anyone', 'ghost'], tools: ['Read'] } },
  };
  const selection = selectSkills(catalog, { phase: 'plan', only: ['planner', 'lost', 'seller'] });
  expect(selection.skills.map(({ skill, because }) => [skill.id, because.kind])).toEqual([
    ['stock', 'dependency'],
    ['seller', 'included'],
    ['planner', 'included'],
  ]);
  expect(selection.leftOut.map(leftOutText)).toEqual([
    'anyone is not among the skills in "only"',
    'lost is named in "only", but no skill has that id',
  ]);
  expect(selection.tools.allowed).toEqual(['Read']);
  expect(ids(skills, { only: ['planner', 'seller'], exclude: ['seller'] })).toEqual(['planner']);
  expect(ids(skills, { only: ['planner'], include: ['anyone'] })).toEqual(['anyone', 'planner']);
  expect(ids(skills, { only: [] })).toEqual([]);
});
