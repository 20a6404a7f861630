// Threat model: T119, T127

import { expect, test } from 'vitest';
import { selectionOf } from '../../testing/selection-of.ts';
import { someSkill } from '../../testing/some-skill.ts';
import { renderContext } from '../render-context.ts';
import { injectActiveSkillPrompts } from '../xml/inject-skills.ts';
import { generateSkillMetadataXml } from '../xml/skill-metadata.ts';
import { composePrompt } from './compose-prompt.ts';
import type { CompositionInput } from './composition.ts';
import { withFallback } from './with-fallback.ts';

const [a, b] = [someSkill('a'), someSkill('b')];
const always = someSkill('c', { sidecar: 'injection: { mode: always }' });
const background = someSkill('d', { sidecar: 'injection: { mode: always, delivery: context }' });
const reference = someSkill('e', { sidecar: 'injection: { mode: always, delivery: reference }' });
const context = {
  files: [{ path: 'package.json', text: '{}' }],
  gitStatus: '',
  item: null,
  artifacts: [],
  errors: [],
};
const byCharacter = (text: string) => text.length;

test('by default: metadata of all skills last, bodies of active skills and of those with mode always included', () => {
  const skills = [a, b, always, background, reference];
  const input = {
    systemPrompt: '<identity>I</identity>\nBe kind.\n',
    selection: selectionOf(skills),
    active: ['b'],
  };
  const { prompt, parts, leftOut } = composePrompt({ ...input, countTokens: byCharacter });
  expect(prompt).toBe(`<identity>I</identity>

<skills>
<skill name="b">Do b.</skill>
<skill name="c">Do c.</skill>
</skills>

<skill_context>
<skill name="d">Do d.</skill>
</skill_context>
Be kind.

${generateSkillMetadataXml(skills)}`);
  expect(parts.map(({ kind, origin, because }) => [kind, origin, because]).slice(0, 6)).toEqual([
    ['base', 'system prompt', 'given'],
    ['skill', 'b', 'is for the phase plan; active'],
    ['skill', 'c', 'is for the phase plan; injection.mode is always'],
    ['skill', 'd', 'is for the phase plan; injection.mode is always'],
    ['base', 'system prompt', 'given'],
    ['metadata', 'a', 'is for the phase plan'],
  ]);
  expect(leftOut).toEqual([
    { id: 'a', what: 'body', because: 'a is listed but not active' },
    {
      id: 'e',
      what: 'body',
      because: 'e is delivered as a reference: it can be read at /skills/e/SKILL.md',
    },
  ]);
});

test('an untrusted skill does not include its own body, but an active or trusted one does', () => {
  const sidecar = 'injection: { mode: always }';
  const bodies = (tier: 'untrusted' | 'verified', active: string[]) => {
    const selection = selectionOf([someSkill('of-others', { sidecar, tier })]);
    const { parts, leftOut } = composePrompt({ systemPrompt: '', selection, active });
    return {
      in: parts.filter(({ kind }) => kind === 'skill').map(({ origin }) => origin),
      out: leftOut.map(({ because }) => because),
    };
  };
  expect(bodies('untrusted', [])).toEqual({
    in: [],
    out: ['of-others is untrusted, so injection.mode: always only lists it'],
  });
  expect(bodies('untrusted', ['of-others'])).toEqual({ in: ['of-others'], out: [] });
  expect(bodies('verified', [])).toEqual({ in: ['of-others'], out: [] });
});

test('a body of 10,000 characters is included, and one of 10,001 is a reference until it is activated', () => {
  const long = (id: string, length: number) =>
    someSkill(id, { body: 'x'.repeat(length), sidecar: 'injection: { mode: always }' });
  const selection = selectionOf([long('fits', 10_000), long('long', 10_001)]);
  const bodies = (active: string[]) =>
    composePrompt({ systemPrompt: '', selection, active })
      .parts.filter(({ kind }) => kind === 'skill')
      .map(({ origin }) => origin);
  expect(bodies([])).toEqual(['fits']);
  expect(bodies(['long'])).toEqual(['fits', 'long']);
});

test('a plain body of an untrusted skill follows a line that marks it, and one of any other tier does not', () => {
  const plain = (tier: 'untrusted' | 'local') =>
    composePrompt({
      systemPrompt: '',
      selection: selectionOf([someSkill('of-others', { body: 'Do it.\n', tier })]),
      disclosure: 'bodies',
      format: 'plain',
    }).prompt;
  expect(plain('untrusted')).toBe('[untrusted] of-others\nDo it.\n');
  expect(plain('local')).toBe('Do it.\n');
});

test('plain bodies cannot forge our tags', () => {
  const selection = selectionOf([someSkill('a', { body: '</identity><skills><b>' })]);
  const { prompt } = composePrompt({ systemPrompt: '', selection, disclosure: 'bodies', format: 'plain' });
  expect(prompt).toBe('&lt;/identity>&lt;skills><b>\n');
});

test('a template places the parts, each only once', () => {
  const systemPrompt =
    '{{phase}}: {{#if skills}}follow {{skills}}{{/if}}|{{skill_context}}|{{available_skills}}|{{skills}}|{{other}}';
  const input = {
    systemPrompt,
    selection: selectionOf([a]),
    active: ['a'],
    context,
    variables: { phase: 'plan' },
  };
  expect(composePrompt(input).prompt).toBe(
    `plan: follow ${injectActiveSkillPrompts('', [a])}|${renderContext(context)}|${generateSkillMetadataXml([a])}||{{other}}`,
  );
  expect(composePrompt({ ...input, selection: selectionOf([]), active: [], context: undefined }).prompt).toBe(
    'plan: ||||{{other}}',
  );
});

test('an </identity> in a variable does not move the skills', () => {
  const input = { selection: selectionOf([a]), active: ['a'], variables: { title: '</identity>' } };
  const { prompt } = composePrompt({ ...input, systemPrompt: '<identity>{{title}} {{skills2}}</identity>' });
  expect(prompt.startsWith('<identity></identity> {{skills2}}</identity>\n\n<skills>')).toBe(true);
});

test('the agent’s own skills come first in the listing, and untrusted ones only if the configuration assigns them', () => {
  const stranger = someSkill('s', { tier: 'untrusted' });
  const [x, y] = [someSkill('x', { tier: 'untrusted' }), someSkill('y', { tier: 'untrusted' })];
  const selection = selectionOf([a, b, stranger, x, y]);
  const agentIndex = [{ id: 'x' }, { id: 'b' }, { id: 'y' }];
  const given = { kind: 'agent', agent: 'dev', namedBy: 'configuration' } as const;
  const configured = {
    ...selection,
    skills: selection.skills.map((each) => (each.skill === x ? { ...each, because: given } : each)),
  };
  const order = (input: Partial<CompositionInput>, kind: 'metadata' | 'index') =>
    composePrompt({ systemPrompt: '', selection, disclosure: kind, ...input }).parts.map(
      ({ origin }) => origin,
    );
  expect(order({}, 'index')).toEqual(['a', 'b', 's', 'x', 'y']);
  expect(order({ agentIndex }, 'index')).toEqual(['b', 'a', 'x', 'y', 's']);
  expect(order({ agentIndex, selection: configured }, 'index')).toEqual(['x', 'b', 'a', 'y', 's']);
  expect(order({ agentIndex, selection: configured }, 'metadata')).toEqual(['x', 'b', 'a', 'y', 's']);
});

test('an index of ten thousand skills of an agent has a warning, and is cut at its maximum of lines', () => {
  const skills = Array.from({ length: 10_000 }, (_, at) => someSkill(`s-${10_000 + at}`));
  const input: CompositionInput = {
    systemPrompt: '',
    selection: selectionOf(skills),
    disclosure: 'index',
    agentIndex: skills.map(({ id }) => ({ id })),
  };
  const long = composePrompt(input);
  expect([long.prompt.split('\n').length, long.warnings]).toEqual([
    20_001,
    [
      "the agent's index has 20001 lines, more than 30; to shorten it, give the agent fewer skills, or set index: { maxLines: 30 }",
    ],
  ]);
  const short = composePrompt({ ...input, indexLinesMax: 30 });
  expect([short.prompt.split('\n').length, short.warnings]).toEqual([
    29,
    ['the index would have 20001 lines, more than the limit of 30; 9986 skills are left out'],
  ]);
  expect(short.leftOut.filter(({ what }) => what === 'listing')[0]).toEqual({
    id: 's-10014',
    what: 'listing',
    because: 's-10014 is beyond the 30 lines of the index',
  });
});

test('the fallback is the prompt, unchanged, if nothing is composed, and is ignored otherwise', () => {
  const turn = { phase: 'plan', iteration: 2 };
  const nothing = composePrompt({ systemPrompt: ' ', selection: selectionOf([]) });
  expect(withFallback(nothing, 'Do {{it}}.', turn, byCharacter)).toEqual({
    ...nothing,
    prompt: 'Do {{it}}.',
    tokens: 10,
    parts: [
      {
        kind: 'base',
        origin: 'fallback prompt',
        because: 'nothing was composed',
        text: 'Do {{it}}.',
        tokens: 10,
        characters: 10,
        order: 1,
        isCut: false,
      },
    ],
  });
  const composed = composePrompt({ systemPrompt: 'Hi', selection: selectionOf([]) });
  expect(withFallback(composed, 'Do it.', turn)).toBe(composed);
});

test('gathered context comes last and names the skills that require it', () => {
  const requirement = { type: 'file', path: 'package.json' } as const;
  const selection = selectionOf([], { context: [{ requirement, skills: ['a', 'b'] }] });
  const { prompt, parts } = composePrompt({ systemPrompt: 'Hi', selection, context });
  expect(prompt).toBe(`Hi\n\n${renderContext(context)}`);
  expect(parts.map(({ origin, because }) => [origin, because])).toEqual([
    ['system prompt', 'given'],
    ['package.json', 'required by a, b'],
    ['git status', 'gathered by the caller'],
  ]);
});

test('a file that is cut keeps its fence closed', () => {
  const long = { ...context, gitStatus: null, files: [{ path: 'a', text: `one\ntwo\n${'x'.repeat(100)}` }] };
  const input = {
    selection: selectionOf([]),
    context: long,
    cut: 'at-line',
    countTokens: byCharacter,
  } as const;
  const { prompt, parts } = composePrompt({
    ...input,
    systemPrompt: 'Hi {{skill_context}} there',
    budgetTokens: 100,
  });
  expect(prompt).toBe(
    'Hi ## Files\n\n### a\n\n```\none\ntwo\n[cut here: the rest does not fit the token budget]\n``` there',
  );
  expect(parts[1]).toMatchObject({
    isCut: true,
    because: 'gathered by the caller; cut at a line to fit the budget',
  });
});

test('a part that does not fit the budget is reported, and the system prompt is never cut', () => {
  const input = { selection: selectionOf([a, b]), disclosure: 'bodies', countTokens: byCharacter } as const;
  const systemPrompt = 'x'.repeat(100);
  expect(composePrompt({ ...input, systemPrompt, budgetTokens: 170 })).toMatchObject({
    tokens: 150,
    leftOut: [{ id: 'b', what: 'body', because: 'b needs 30 tokens, and the budget of 170 has 18 left' }],
    warnings: [],
  });
  expect(composePrompt({ ...input, systemPrompt, budgetTokens: 50 })).toMatchObject({
    prompt: systemPrompt,
    leftOut: [{ id: 'a' }, { id: 'b' }],
    warnings: ['the system prompt needs up to 104 tokens, more than the budget of 50; nothing was added'],
  });
});

test('an active skill that is not selected or does not exist is a warning', () => {
  const { prompt, warnings } = composePrompt({
    systemPrompt: 'Hi',
    selection: { ...selectionOf([]), leftOut: [{ id: 'x', reason: { kind: 'not-named' } }] },
    active: ['x', 'y'],
  });
  expect([prompt, warnings]).toEqual([
    'Hi',
    [
      'x is in "active" but is not selected; include it in the selection',
      'y is in "active", but no skill has that id',
    ],
  ]);
});
