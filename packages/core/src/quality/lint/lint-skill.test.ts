import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { estimateTokens } from '../../model-text/count-tokens.ts';
import { lintSkill } from './lint-skill.ts';
import { lintRules } from './rules.ts';

const description = 'Counts the words of a text. Use it when asked how long a text is.';
const skillMd = (body: string, says = description): string =>
  `---\nname: word-count\ndescription: ${says}\n---\n${body}`;
const body = '# Words\n\nCount them.\n';
const tool = `version: 1.0.0
run:
  runtime: process
  entry: scripts/run.py
  input:
    type: object
    properties:
      text: { type: string, description: The text. }
`;

/** The rules that a folder breaks, each with its location. */
function broken({
  md = skillMd(body),
  sidecar,
  files = {},
}: {
  md?: string;
  sidecar?: string;
  files?: Record<string, string>;
}): string[] {
  const texts = { 'SKILL.md': md, ...(sidecar === undefined ? {} : { 'ambit.yaml': sidecar }), ...files };
  const { findings } = lintSkill(
    {
      name: 'word-count',
      files: Object.keys(texts).map((path) => ({ path, isLink: false, leavesFolder: false })),
      skillMd: md,
      sidecar,
      texts,
    },
    estimateTokens,
  );
  return findings.map(({ rule, file, line }) => `${file}:${line ?? ''} ${rule}`);
}

const call = '# Words\n\n```json\n{ "text": "a b" }\n```\n';

test('finds nothing in a plain prompt skill and a plain tool skill', () => {
  expect(broken({})).toEqual([]);
  expect(broken({ md: skillMd(call), sidecar: tool, files: { 'scripts/run.py': '' } })).toEqual([]);
});

test.each([
  [
    'a description without when to use it',
    { md: skillMd(body, 'Counts words, sentences – and paragraphs – of a text’s parts.') },
    'SKILL.md:3 description-when',
  ],
  [
    'a description in the first person',
    { md: skillMd(body, 'I can count words. Use when asked for the length of a text.') },
    'SKILL.md:3 description-person',
  ],
  [
    'a description with few words',
    { md: skillMd(body, 'Use it when asked.') },
    'SKILL.md:3 description-vague',
  ],
  [
    'a very long description',
    { md: skillMd(body, `${description} ${'Another sentence of it. '.repeat(20)}`) },
    'SKILL.md: metadata-tokens',
  ],
  ['no instructions', { md: skillMd('') }, 'SKILL.md: body-empty'],
  ['501 lines', { md: skillMd(`# Words\n${'a\n'.repeat(499)}b`) }, 'SKILL.md: body-lines'],
  ['a long body', { md: skillMd(`# Words\n${'word '.repeat(6000)}`) }, 'SKILL.md: body-tokens'],
  ['no heading in 61 lines', { md: skillMd(`${'a\n'.repeat(60)}b`) }, 'SKILL.md: headings-missing'],
  ['a skipped heading level', { md: skillMd('# Words\n### Deep\n') }, 'SKILL.md:6 heading-skip'],
  ['a code block that never ends', { md: skillMd('# Words\n```sh\nwc -w\n') }, 'SKILL.md:6 fence-open'],
  [
    'a link to a missing file',
    { md: skillMd('# Words\n[more](references/more.md)\n') },
    'SKILL.md:6 link-dead',
  ],
  [
    'a link that leaves the folder',
    { md: skillMd('# Words\n[other](../other/SKILL.md)\n') },
    'SKILL.md:6 link-outside',
  ],
  [
    'a file that nothing mentions',
    { files: { 'references/more.md': '' } },
    'references/more.md: file-unmentioned',
  ],
  ['a placeholder', { md: skillMd('# Words\n- TODO explain\n') }, 'SKILL.md:6 placeholder'],
  [
    'a path of one machine',
    { md: skillMd('# Words\n```sh\nwc /home/ada/notes.txt\n```\n') },
    'SKILL.md:7 host-path',
  ],
  [
    'an input without a description',
    { md: skillMd(call), sidecar: tool.replace(', description: The text.', '') },
    'ambit.yaml:8 input-undescribed',
  ],
  ['a tool without an example', { sidecar: tool }, 'SKILL.md: example-missing'],
  [
    'a tool without a version',
    { md: skillMd(call), sidecar: tool.replace('version: 1.0.0\n', '') },
    'ambit.yaml: version-missing',
  ],
  ['a file that is not a skill', { md: '' }, 'SKILL.md: unreadable'],
])('reports %s', (_, folder, expected) => {
  expect(broken(folder)).toEqual([expected]);
});

test.each([
  [
    'a description in another script',
    { md: skillMd(body, '単語を数える。文章の長さを聞かれたときに使う。') },
  ],
  ['exactly 500 lines', { md: skillMd(`# Words\n${'a\n'.repeat(498)}b`) }],
  ['a # in code', { md: skillMd('# Words\n```sh\n### no heading\n```\n') }],
  ['a fence in a fence', { md: skillMd('# Words\n````md\n```\n````\n') }],
  ['a fence in a list', { md: skillMd('# Words\n1. ```sh\n   wc\n   ```\n') }],
  [
    'links to the web, to a heading, to a file and to a folder',
    {
      md: skillMd(
        '# Words\n[a](https://a.test/b) [b](#words) [c](references/c%20d.md#top "C") [d](./references/)\n',
      ),
      files: { 'references/c d.md': '' },
    },
  ],
  ['a link in backquotes', { md: skillMd('# Words\nWrite `[text](place)`.\n') }],
  [
    'a file that another file mentions',
    {
      md: skillMd('# Words\nRead references/a.md.\n'),
      files: { 'references/a.md': 'see b.md', 'references/b.md': '' },
    },
  ],
  [
    'files of a folder that is mentioned, licences, and hidden ones',
    {
      md: skillMd('# Words\nTemplates are in assets/.\n'),
      files: { 'assets/x.html': '', 'assets/y/z.html': '', 'LICENSE.txt': '', '.gitignore': '' },
    },
  ],
  ['a skill about to-dos', { md: skillMd('# Words\nSearch for every `TODO:` and each TODO in comments.\n') }],
  ['an example of a path', { md: skillMd('# Words\nSuch as /home/user/notes.txt.\n') }],
  [
    'a file of a package manager or a package',
    {
      files: {
        'package.json': '{}',
        'package-lock.json': '{}',
        'requirements.txt': 'x',
        'node_modules/slug/package.json': '{}',
        'node_modules/slug/more.md': '',
      },
    },
  ],
  ['CRLF', { md: skillMd('# Words\n\n```sh\nwc\n```\n').replaceAll('\n', '\r\n') }],
])('accepts %s', (_, folder) => {
  expect(broken(folder)).toEqual([]);
});

test('lints hostile text in linear time', () => {
  const lines = [
    `${'`'.repeat(300_000)}a`,
    `${'['.repeat(300_000)}`,
    ' '.repeat(300_000),
    '---\n'.repeat(50_000),
  ];
  for (const line of lines) expect(broken({ md: skillMd(`# Words\n${line}`) }).length).toBeLessThan(5);
});

test('a longer name mentions neither a shorter one nor its folder', () => {
  const md = skillMd('# Words\nSee references/big-a.md and references/a.mdx.\n');
  expect(broken({ md, files: { 'references/a.md': '' } })).toEqual(['references/a.md: file-unmentioned']);
});

test('many files that nothing mentions are one finding', () => {
  const files = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [`references/${name}.md`, '']));
  expect(broken({ files })).toEqual(['references/a.md: file-unmentioned']);
});

test('reports the cost in tokens', () => {
  const count = (text: string): number => text.length;
  const { tokens } = lintSkill(
    { name: 'word-count', files: [], skillMd: skillMd(body), sidecar: undefined, texts: {} },
    count,
  );
  expect(tokens).toEqual({ metadata: `word-count: ${description}`.length, body: body.trim().length });
});

test('docs/quality.md explains every rule with its severity, and no others', async () => {
  const text = await readFile(new URL('../../../../../docs/quality.md', import.meta.url), 'utf8');
  const rows = [...text.matchAll(/^\| `([a-z-]+)` \| (warning|advice) \|/gm)];
  expect(Object.fromEntries(rows.map(([, rule, severity]) => [rule, severity]))).toEqual(lintRules);
});
