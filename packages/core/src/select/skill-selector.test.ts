import { describe, expect, test } from 'vitest';
import type { SkillError } from '../execute/skill-error.ts';
import { leftOutText } from './reason-text.ts';
import type { SelectionCatalog, SelectionRequest } from './selection.ts';
import { selectSkills, skillSelector } from './skill-selector.ts';
import { aSkill } from './testing/a-skill.ts';

type Skills = SelectionCatalog['skills'];

function ids(skills: Skills, request: SelectionRequest = {}, more: Partial<SelectionCatalog> = {}): string[] {
  return selectSkills({ skills, ...more }, request).skills.map(({ skill }) => skill.id);
}

function reasons(skills: Skills, request: SelectionRequest = {}): string[] {
  return selectSkills({ skills }, request).leftOut.map(leftOutText);
}

function refusal(skills: Skills, request: SelectionRequest = {}): SkillError {
  try {
    selectSkills({ skills }, request);
  } catch (error) {
    return error as SkillError;
  }
  throw new Error('nothing was refused');
}

describe('a skill is a candidate', () => {
  const skills = [
    aSkill('anywhere'),
    aSkill('planner', { phases: ['Plan'] }),
    aSkill('tester', { phases: ['test', 'implement'], agents: ['qa'], tags: ['slow', 'ci'] }),
    aSkill('seller', { campaigns: ['Spring'], sections: ['Top'] }),
  ];

  test.each<[string, SelectionRequest, string[]]>([
    ['whatever it names, when nothing is asked for', {}, ['anywhere', 'planner', 'seller', 'tester']],
    [
      'for a phase that it names, without case and blanks',
      { phase: ' PLAN ' },
      ['anywhere', 'planner', 'seller'],
    ],
    ['for any phase, when it names none', { phase: 'deploy' }, ['anywhere', 'seller']],
    ['for a blank phase, when it names none', { phase: ' ' }, ['anywhere', 'seller']],
    ['for an agent that it names', { agent: 'qa' }, ['anywhere', 'planner', 'seller', 'tester']],
    ['for any agent, when it names none', { agent: 'dev' }, ['anywhere', 'planner', 'seller']],
    ['for an agent as it is written', { agent: 'QA' }, ['anywhere', 'planner', 'seller']],
    ['with one tag in common', { tags: ['ci', 'fast'] }, ['tester']],
    ['whatever its tags, when none are asked for', { tags: [] }, ['anywhere', 'planner', 'seller', 'tester']],
    ['for a campaign that it names', { campaign: 'SPRING' }, ['anywhere', 'planner', 'seller', 'tester']],
    ['for another campaign, when it names none', { campaign: 'autumn' }, ['anywhere', 'planner', 'tester']],
    ['for another section, when it names none', { section: 'footer' }, ['anywhere', 'planner', 'tester']],
    ['for every word of the request at once', { phase: 'test', agent: 'qa', tags: ['ci'] }, ['tester']],
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

  test('for a phase that the configuration maps to it, whatever it says itself', () => {
    const phases = { Plan: { skills: ['tester'] } };
    expect(ids(skills, { phase: 'plan', agent: 'dev' }, { phases })).toContain('tester');
    expect(ids(skills, { phase: 'plan', agent: 'dev' })).not.toContain('tester');
  });

  test('for an agent that the configuration gives it, which takes it from nobody else', () => {
    const agents = { dev: { skills: ['tester', 'anywhere'] } };
    expect(ids(skills, { phase: 'test', agent: 'dev' }, { agents })).toContain('tester');
    expect(ids(skills, { phase: 'test', agent: 'ops' }, { agents })).toEqual(['anywhere', 'seller']);
  });

  test('and what is not says why, by the first thing that speaks against it', () => {
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

  test('and what is says why, by what is nearest to a person’s word', () => {
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

test('ids that no skill has are reported with who named them, unless they are excluded', () => {
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

describe('order', () => {
  test('is by priority, then by id', () => {
    expect(
      ids([aSkill('b'), aSkill('z', { priority: -1 }), aSkill('c', { priority: 60 }), aSkill('a')]),
    ).toEqual(['z', 'a', 'b', 'c']);
  });

  test('puts dependencies first, and among those that are ready the lowest', () => {
    const skills = [
      aSkill('a', { priority: 1, requires: { late: '*' } }),
      aSkill('b', { priority: 2 }),
      aSkill('late', { priority: 90 }),
      aSkill('last', { priority: 91 }),
    ];
    expect(ids(skills)).toEqual(['b', 'late', 'a', 'last']);
  });

  test('of two skills with one id the first stands, and a warning names the other', () => {
    const [first, second] = [aSkill('a', { priority: 3 }), { ...aSkill('a'), root: '/other/a' }];
    const { skills, leftOut, warnings } = selectSkills({ skills: [first, second] }, {});
    expect([skills.map(({ skill }) => skill), leftOut]).toEqual([[first], []]);
    expect(warnings).toEqual(['the skill a in /other/a is not used: /skills/a has that id already']);
  });
});

describe('dependencies', () => {
  const tool = (version?: string): ReturnType<typeof aSkill> =>
    aSkill('tool', { phases: ['other'], ...(version === undefined ? {} : { version }) });
  const user = (id: string, range: string): ReturnType<typeof aSkill> =>
    aSkill(id, { requires: { tool: range } });

  test.each([
    ['^1.0.0', '1.4.0', true],
    ['^1.0.0', '2.0.0', false],
    ['*', '3.0.0', true],
    ['*', undefined, true],
    ['x', '1.0.0-beta.1', true],
    ['>=0.1.0', undefined, false],
    ['>=0', undefined, true],
    ['^2.0.0', '2.0.0-beta.1', false],
    ['^2.0.0-beta.1', '2.0.0-beta.2', true],
  ])('the range %s and the version %s', (range, version, isMet) => {
    const request = { phase: 'plan' };
    expect(ids([tool(version), user('a', range)], request)).toEqual(isMet ? ['tool', 'a'] : []);
  });

  test('what is wrong with one is said with its version and range, and takes its dependents with it', () => {
    const skills = [
      tool('1.4.0'),
      user('a', '^2'),
      aSkill('b', { requires: { a: '*' } }),
      aSkill('c', { requires: { ghost: '^1' } }),
      aSkill('d'),
      aSkill('e', { requires: { d: '^1' } }),
    ];
    expect(reasons(skills, { phase: 'plan' }).sort()).toEqual([
      'a requires tool ^2, and the catalog has 1.4.0',
      'b requires a *, and a is left out itself',
      'c requires ghost ^1, which is not in the catalog',
      'e requires d ^1, and the d in the catalog states no version',
      'tool is for the phases other',
    ]);
  });

  test('two that ask for one dependency in ranges without a common version are both named', () => {
    const skills = [tool('1.4.0'), user('a', '^2'), user('b', '^1'), user('c', '>=1')];
    expect(selectSkills({ skills }, {}).leftOut).toEqual([
      {
        id: 'a',
        reason: {
          kind: 'dependency',
          on: 'tool',
          detail: 'a requires tool ^2, and b requires tool ^1, which 1.4.0 satisfies; both cannot be had',
        },
      },
    ]);
    expect(reasons(skills, { exclude: ['b'] })[0]).toEqual('a requires tool ^2, and the catalog has 1.4.0');
  });

  test('what is excluded takes along all that require it, itself or through others', () => {
    const skills = [
      aSkill('a'),
      aSkill('b', { requires: { a: '*' } }),
      aSkill('c', { requires: { b: '*' } }),
      aSkill('d'),
    ];
    expect(ids(skills, { exclude: ['a'] })).toEqual(['d']);
    expect(reasons(skills, { exclude: ['a'] })).toEqual([
      'a is excluded by the request',
      'b requires a *, and a is left out itself',
      'c requires b *, and b is left out itself',
    ]);
  });

  test('what only a skill that cannot be had requires does not come', () => {
    const skills = [tool('1.0.0'), aSkill('a', { requires: { tool: '*', ghost: '*' } })];
    expect(ids(skills, { phase: 'plan' })).toEqual([]);
  });
});

describe('a circle', () => {
  const needs = (id: string, on: string, more: object = {}): ReturnType<typeof aSkill> =>
    aSkill(id, { requires: { [on]: '*' }, ...more });

  test('among the chosen is refused with its chain, beginning with the first in order', () => {
    const error = refusal(
      [needs('x', 'c'), needs('c', 'b'), needs('b', 'a', { phases: ['q'] }), needs('a', 'c')],
      { phase: 'p' },
    );
    expect([error.code, error.message, error.details]).toEqual([
      'SKILL_CYCLE',
      'these skills require one another in a circle: a → c → b → a; exclude one of them, or take one requires out of an ambit.yaml',
      { chain: ['a', 'c', 'b', 'a'] },
    ]);
  });

  test('of one skill is one as well', () => {
    expect(refusal([needs('a', 'a')]).details).toEqual({ chain: ['a', 'a'] });
  });

  test('among others does not matter, nor one of which a member is excluded', () => {
    const skills = [needs('a', 'b', { phases: ['q'] }), needs('b', 'a', { phases: ['q'] }), aSkill('c')];
    expect(ids(skills, { phase: 'p' })).toEqual(['c']);
    expect(ids(skills, { exclude: ['b'] })).toEqual(['c']);
    expect(refusal(skills, { phase: 'q' }).code).toBe('SKILL_CYCLE');
  });
});

describe('of two skills in conflict the later is left out', () => {
  const against = (id: string, other: string, more: object = {}): ReturnType<typeof aSkill> =>
    aSkill(id, { conflicts: [other], ...more });

  test.each([
    ['when the earlier names it', [against('a', 'b'), aSkill('b')]],
    ['when the later names it', [aSkill('a'), against('b', 'a')]],
    ['when both do', [against('a', 'b'), against('b', 'a')]],
  ])('%s', (_, skills) => {
    expect(ids(skills)).toEqual(['a']);
    expect(reasons(skills)).toEqual(['b conflicts with a, which comes before it']);
    expect(ids(skills, { exclude: ['a'] })).toEqual(['b']);
  });

  test('and what is left out keeps nobody away', () => {
    expect(ids([aSkill('a'), against('b', 'a'), against('c', 'b')])).toEqual(['a', 'c']);
  });

  test('with its dependents, and with what only they required', () => {
    const skills = [
      aSkill('a'),
      against('b', 'a', { requires: { only: '*' } }),
      aSkill('c', { requires: { only: '*', b: '*' } }),
      aSkill('only', { phases: ['q'] }),
    ];
    expect(ids(skills, { phase: 'p' })).toEqual(['a']);
    expect(reasons(skills, { phase: 'p' })).toEqual([
      'only is for the phases q',
      'b conflicts with a, which comes before it',
      'c requires b *, and b is left out itself',
    ]);
  });

  test('and a dependency that goes with its dependents keeps nobody away either', () => {
    const skills = [
      aSkill('a', { priority: 1 }),
      aSkill('dep', { priority: 2, phases: ['q'], conflicts: ['rival'] }),
      aSkill('rival', { priority: 3 }),
      against('user', 'a', { requires: { dep: '*' } }),
    ];
    expect(ids(skills, { phase: 'p' })).toEqual(['a', 'rival']);
    expect(ids(skills, { phase: 'p', exclude: ['a'] })).toEqual(['dep', 'user']);
  });

  test('even where nothing would come to rest, because what has gone stays gone', () => {
    const skills = [
      aSkill('dep', { priority: 1, phases: ['q'], conflicts: ['e'] }),
      aSkill('e', { priority: 2, conflicts: ['k'] }),
      aSkill('k', { priority: 3, conflicts: ['x'] }),
      aSkill('x', { priority: 4, requires: { dep: '*' } }),
    ];
    expect(ids(skills, { phase: 'p' })).toEqual(['e']);
  });
});

describe('a budget', () => {
  const skills = ['aa', 'bbbb', 'c'].map((body) => aSkill(body.slice(0, 1), {}, { body }));
  const select = skillSelector({ skills }, (text) => text.length);

  test('is all or nothing for each skill, and after the first that does not fit none does', () => {
    const { skills: selected, leftOut } = select({ budgetTokens: 5 });
    expect(selected.map(({ skill, tokens }) => [skill.id, tokens])).toEqual([['a', 2]]);
    expect(leftOut).toEqual([
      { id: 'b', reason: { kind: 'budget', tokens: 4, tokensLeft: 3 } },
      { id: 'c', reason: { kind: 'budget', tokens: null, tokensLeft: 3 } },
    ]);
  });

  test.each<[string, unknown, string[], string[]]>([
    ['that is just enough', 6, ['a', 'b'], []],
    ['of 0 fits nothing', 0, [], []],
    ['of infinity is none', Number.POSITIVE_INFINITY, ['a', 'b', 'c'], []],
    ['below 0 is none, with a warning', -1, ['a', 'b', 'c'], ['-1']],
    ['that is NaN is none, with a warning', Number.NaN, ['a', 'b', 'c'], ['NaN']],
    ['that is text is none, with a warning', '100', ['a', 'b', 'c'], ['"100"']],
    ['that is null is none, with a warning', null, ['a', 'b', 'c'], ['null']],
  ])('%s', (_, budgetTokens, expected, warned) => {
    const { skills: selected, warnings } = select({ budgetTokens: budgetTokens as number });
    expect(selected.map(({ skill }) => skill.id)).toEqual(expected);
    expect(warnings).toEqual(
      warned.map(
        (shown) => `a token budget of ${shown} is none, so nothing was left out for it; give a number from 0`,
      ),
    );
  });

  test('counts each body once, also for the next selector that gets what was counted', () => {
    const texts: string[] = [];
    const count = (text: string): number => texts.push(text);
    const counted = new WeakMap();
    const first = skillSelector({ skills }, count, counted);
    first({});
    expect(texts).toEqual([]);
    first({ budgetTokens: 100 });
    first({ budgetTokens: 50 });
    skillSelector(
      { skills: [...skills, aSkill('d', {}, { body: 'd' })] },
      count,
      counted,
    )({ budgetTokens: 100 });
    expect(texts).toEqual(['aa', 'bbbb', 'c', 'd']);
  });
});

test('what skills want to know comes once, with all that want it', () => {
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

test.each(['__proto__', 'constructor', 'toString'])('the name %s is a name like any other', (name) => {
  const skills = [aSkill('a')];
  const { tools, warnings } = selectSkills({ skills, phases: {}, agents: {} }, { phase: name, agent: name });
  expect([tools.from, warnings]).toEqual([
    'unknown-phase',
    [`the phase "${name}" is not configured, so it has no tools; no phases are configured`],
  ]);
  const phases = Object.fromEntries([[name, { tools: ['Read'] }]]);
  expect(selectSkills({ skills, phases }, { phase: name }).tools.allowed).toEqual(['Read']);
});

test('phases that differ only in case are one, and a warning says which stands', () => {
  const phases = { Plan: { tools: ['Read'] }, plan: { tools: ['Write'] } };
  const { tools, warnings } = selectSkills({ skills: [], phases }, { phase: 'PLAN' });
  expect([tools.allowed, warnings]).toEqual([
    ['Read'],
    ['the phase plan is Plan in other letters, whose settings stand; keep one of the two'],
  ]);
});
