// The features of agentium's composition that users rely on: the text of a phase, of selected names, and of all
// skills.
import { describe, expect, test } from 'vitest';
import {
  composePrompt,
  explainText,
  type SelectionRequest,
  selectSkills,
} from '../../packages/core/src/index.ts';
import { imported } from './support/imported.ts';

const texts = {
  rules: '## RULES\n\nStay.\n',
  build: '## BUILD\n\nMake it — naïvely.\n',
  test: '# Test\n\nTry it.\n',
  reader: '# Reader\n\nRead it.\n',
};
const manifest = `skills:
  - { name: test, file: test.md, priority: 60, phases: [BUILD] }
  - { name: rules, file: rules.md, priority: 5, phases: [] }
  - { name: reader, file: reader.md, priority: 91, phases: [BUILD_REVIEW] }
  - { name: build, file: build.md, priority: 50, phases: [BUILD, SHIP] }
`;

async function composer() {
  const files = Object.fromEntries(Object.entries(texts).map(([name, text]) => [`${name}.md`, text]));
  const { skills, report } = await imported('agentium', { 'manifest.yaml': manifest, ...files });
  const catalog = { ...report.settings, skills: [...skills.values()] };
  return (request: SelectionRequest) =>
    composePrompt({
      systemPrompt: '',
      selection: selectSkills(catalog, request),
      disclosure: 'bodies',
      format: 'plain',
    });
}

const joined = (...names: (keyof typeof texts)[]): string => names.map((name) => texts[name]).join('\n\n');

describe('the prompt of a phase', () => {
  test.each<[string, string]>([
    ['BUILD', joined('rules', 'build', 'test')],
    ['SHIP', joined('rules', 'build')],
    ['BUILD_REVIEW', joined('rules', 'reader')],
    ['NOBODYS', joined('rules')],
  ])('joins the skills of phase %s by priority with a blank line between them', async (phase, expected) => {
    const { prompt } = (await composer())({ phase });
    expect(prompt).toBe(expected);
    expect(Buffer.byteLength(prompt)).toBe(Buffer.byteLength(expected));
  });
});

test('composes all skills into the monolithic prompt', async () => {
  expect((await composer())({}).prompt).toBe(joined('rules', 'build', 'test', 'reader'));
});

describe('skills selected by name', () => {
  test.each<[string[], string]>([
    [['reader', 'ghost', 'build'], joined('build', 'reader')],
    [['test'], joined('test')],
    [[], ''],
  ])('composes the skills named %j by priority, without unknown names', async (only, expected) => {
    expect((await composer())({ only }).prompt).toBe(expected);
  });

  test('reports an unknown name', async () => {
    expect((await composer())({ only: ['ghost'] }).leftOut.at(-1)).toEqual({
      id: 'ghost',
      what: 'skill',
      because: 'ghost is named in "only", but no skill has that id',
    });
  });
});

test('returns an empty string without skills', () => {
  const selection = selectSkills({ skills: [] }, { phase: 'BUILD' });
  expect(composePrompt({ systemPrompt: '', selection, disclosure: 'bodies', format: 'plain' }).prompt).toBe(
    '',
  );
});

test('lists what a phase would select, with reasons', async () => {
  const composition = (await composer())({ phase: 'build' });
  expect(composition.parts.map(({ origin }) => origin)).toEqual(['rules', 'build', 'test']);
  expect(explainText(composition)).toMatch(/build +is for the phase build/);
  expect(composition.leftOut).toEqual([
    { id: 'reader', what: 'skill', because: 'reader is only for the phase build_review' },
  ]);
});
