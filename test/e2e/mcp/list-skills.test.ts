// Threat model: T447, T448

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { estimateTokens } from '../../../packages/core/src/prompt.ts';
import { withKey } from '../../../packages/server/src/testing/daemon-keys.ts';
import { sharedDaemon } from '../../support/daemon.ts';
import { writeSkills } from '../../support/skills.ts';
import { httpClient, textOf } from '../support/mcp-client.ts';

/** A page of `list_skills`. */
interface Page {
  skills: { name: string; description: string; entries?: object[] }[];
  total: number;
  nextCursor?: string;
  hint?: string;
}

const described = (description: string, body = '') => ({
  'SKILL.md': `---\ndescription: ${description}\n---\n${body}\n`,
});

/** Twelve entries, whose descriptions and schemas are larger than a page. */
const steps = Object.fromEntries(
  Array.from({ length: 12 }, (_, at) => [
    `step-${at}`,
    {
      entry: 'scripts/step.py',
      description: 'One step. '.repeat(50),
      input: { type: 'object', properties: { text: { type: 'string', description: 'x '.repeat(450) } } },
    },
  ]),
);

const skills: Record<string, Record<string, string>> = {
  'pdf-tools': described('Combines, merges and splits PDF files.'),
  'word-files': described('Creates .docx files from Markdown or plain text.'),
  charts: described('Draws bar charts and plots from tables of numbers, such as CSV.'),
  'csv-profile': described('Explores a CSV file and reports its columns.'),
  'code-audit': described('Audits source code for security problems.'),
  notes: described('Writes down a thought.', '# Notes\n\n## Meeting minutes\n\n```sh\n# harvest\n```'),
  'qr-zh': described('生成二维码和条形码。'),
  'recipes-ru': described('Подбирает рецепты для ужина.'),
  'cafe-menu': described('Plans the menu of a Café.'),
  wide: {
    ...described('Has twelve steps.'),
    'ambit.yaml': JSON.stringify({
      run: { runtime: 'process', capabilities: { exec: ['python3'] }, scripts: steps },
    }),
    'scripts/step.py': 'print(1)\n',
  },
  ...Object.fromEntries(
    Array.from({ length: 50 }, (_, at) => [
      `filler-${String(at).padStart(2, '0')}`,
      described(`${at % 2 === 0 ? '测试'.repeat(500) : 'Fills the list. '.repeat(60)}`),
    ]),
  ),
  // "zebra" is rare for a key that sees only `rare-a` and `rare-b`, and "zeb" is the beginning of a word.
  'rare-a': described('Feeds a zebra.'),
  'rare-b': described('Feeds a walrus.'),
  ...Object.fromEntries(
    Array.from({ length: 8 }, (_, at) => [
      `hidden-${at}`,
      described('Keeps a zebra, a zebra and a zebra, zeb.'),
    ]),
  ),
};

let folder = '';
const daemon = sharedDaemon(async (root) => {
  folder = root;
  await writeSkills(folder, skills);
  return { bundledSkills: false, skills: [{ path: folder, tier: 'local' }] };
});

async function page(client: Client, given: Record<string, unknown> = {}): Promise<Page> {
  const text = textOf(await client.callTool({ name: 'list_skills', arguments: given }));
  expect(estimateTokens(text)).toBeLessThanOrEqual(3000);
  const listed: Page = JSON.parse(text);
  expect(listed.skills.length).toBeLessThanOrEqual(20);
  return listed;
}

/** The names on all pages. `between` runs after the first one. */
async function everyName(
  client: Client,
  given: Record<string, unknown> = {},
  between?: () => Promise<void>,
): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const listed = await page(client, cursor === undefined ? given : { ...given, cursor });
    names.push(...listed.skills.map(({ name }) => name));
    if (cursor === undefined) await between?.();
    cursor = listed.nextCursor;
  } while (cursor !== undefined && names.length < 500);
  return names;
}

test.each([
  ['merge two PDFs', 'pdf-tools'],
  ['turn markdown into a Word document', 'word-files'],
  ['plot a CSV', 'charts'],
  ['explore csv', 'csv-profile'],
  ['security audit of a repository', 'code-audit'],
  ['MINUTES of the meeting', 'notes'],
  ['做一个二维码', 'qr-zh'],
  ['рецепты на завтра', 'recipes-ru'],
  ['cafe', 'cafe-menu'],
  ['pdf', 'pdf-tools'],
  ['expl', 'csv-profile'],
])('list_skills finds a skill by ordinary words, though it lacks some of them: %s', async (q, first) => {
  expect((await page(await httpClient(daemon()), { q })).skills[0]?.name).toBe(first);
});

test('a comment in the code of a skill is no heading, and an empty result says what else to try', async () => {
  const client = await httpClient(daemon());
  expect(await page(client, { q: 'harvest' })).toEqual({
    skills: [],
    total: 0,
    hint: 'No skill has any of these words. Search with other words, or list all without q.',
  });
  expect(await page(client, { q: 'pdf', tag: 'none' })).toMatchObject({
    hint: 'No skill has any of these words. Search without phase, agent and tag, with other words, or list all without q.',
  });
});

test('every skill is on one page, with as much detail as fits in 3,000 tokens', async () => {
  const client = await httpClient(daemon());
  expect(await everyName(client)).toEqual(Object.keys(skills).sort());
  const [best] = (await page(client, { q: 'twelve steps' })).skills;
  expect(best).toMatchObject({ name: 'wide', description: 'Has twelve steps.', entriesLeftOut: 4 });
  expect(best?.entries).toHaveLength(8);
  expect(best?.entries?.[0]).toEqual({
    script: 'step-0',
    description: expect.stringMatching(/^One step\. .{69}…$/),
    inputLeftOut: true,
  });
  const found = (await page(client, { q: 'fills' })).skills.map(({ description }) => description);
  expect(found[0]).toBe('Fills the list. '.repeat(60).trim());
  expect(found[19]).toMatch(/^Fills the list\. .*…$/);
});

test('a list continues after its last skill was removed, and a search ends though skills come and go', async () => {
  const client = await httpClient(daemon());
  const first = await page(client);
  const last = first.skills.at(-1)?.name ?? '';
  const listed = await everyName(client, {}, async () => {
    await rm(join(folder, last), { recursive: true });
    await writeSkills(folder, { 'zz-new': described('Fills the list.') });
  });
  expect(listed).toEqual([...Object.keys(skills), 'zz-new'].sort());

  const found = await everyName(client, { q: 'fills list' }, async () => {
    await rm(join(folder, 'zz-new'), { recursive: true });
    await writeSkills(folder, { [last]: skills[last] ?? {}, 'aa-new': described('Fills the list.') });
  });
  expect(found.length).toBeGreaterThan(20);
  expect(found.length).toBeLessThan(40);
  await rm(join(folder, 'aa-new'), { recursive: true });
});

test('the order of a search tells a key nothing about skills that it may not see', async () => {
  const bound = await withKey(daemon(), 'bound', { scopes: ['skills:read'], skills: ['rare-a', 'rare-b'] });
  const q = 'zebra walrus';
  expect(await everyName(await httpClient(daemon()), { q })).toEqual([
    'rare-b',
    ...Array.from({ length: 8 }, (_, at) => `hidden-${at}`),
    'rare-a',
  ]);
  expect(await everyName(await httpClient(bound), { q })).toEqual(['rare-a', 'rare-b']);
  expect(await everyName(await httpClient(bound), { q: 'zeb' })).toEqual(['rare-a']);
});

test('a search is bounded: 10 KB of text, control characters, no word, and a cursor that is none', async () => {
  const client = await httpClient(daemon());
  const long = 'pdf '.repeat(2500);
  expect((await page(client, { q: long })).skills.map(({ name }) => name)).toEqual(['pdf-tools']);
  const odd = '\u0000pdf\u001b[31m\u202e\ud800 \u200b';
  expect((await page(client, { q: odd })).skills[0]?.name).toBe('pdf-tools');
  for (const none of ['', ' ', '?!', '\u0007'])
    expect((await page(client, { q: none })).total).toBe(Object.keys(skills).length);
  const refused = async (given: Record<string, unknown>) =>
    textOf(await client.callTool({ name: 'list_skills', arguments: given }));
  expect(await refused({ q: `${long}x` })).toContain('invalid arguments for list_skills: q:');
  for (const cursor of ['', 'x', Buffer.from('-1 a').toString('base64url')])
    expect(await refused({ cursor })).toContain(
      'the cursor is none of list_skills; leave it out to start from the first page',
    );
  const far = Buffer.from('999999999 zzz').toString('base64url');
  expect(await page(client, { q: 'pdf', cursor: far })).toMatchObject({ skills: [] });
});
