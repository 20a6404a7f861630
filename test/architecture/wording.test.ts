import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { findHits } from '../../scripts/check/wording/find-hits.mjs';
import { patterns } from '../../scripts/check/wording/patterns.mjs';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** For each pattern a sentence that it finds, and one of nearly the same words that it leaves alone. */
const sentences: Record<string, { found: string; permitted: string; path?: string }> = {
  told: { found: 'The client is told the digest.', permitted: 'The two cannot be told apart.' },
  'says so': { found: 'A full disk says so.', permitted: 'The log says that the disk is full.' },
  'is said': { found: 'What was skipped is said.', permitted: 'The README said more.' },
  whoever: { found: 'Whoever asks gets it.', permitted: 'Anyone who asks gets it.' },
  'whatever comes': { found: 'It takes whatever comes.', permitted: 'It runs, whatever you call it.' },
  'what comes of': {
    found: 'The record has what comes of a call.',
    permitted: 'The record has what the call used.',
  },
  'that of': { found: 'The limit is that of the skill.', permitted: 'We know that often fails.' },
  'those that': { found: 'It lists those that failed.', permitted: 'It lists those failures.' },
  'one that': {
    found: 'It skips one that failed.',
    permitted: 'The configuration is the one that you wrote.',
  },
  nobody: { found: 'Nobody waits for it.', permitted: 'No caller waits for it.' },
  "another's": { found: "It ends a call of another's.", permitted: "It ends another key's call." },
  'stands in': { found: 'The id stands in the record.', permitted: 'A bare name stands for all tools.' },
  'lies in': { found: 'The file lies in the folder.', permitted: 'The model lies.' },
  'is there': { found: 'The file is already there.', permitted: 'Is there a file?' },
  'otherwise than': { found: 'Nothing is otherwise than before.', permitted: 'Otherwise, nothing changes.' },
  'the other way round': {
    found: 'It maps ids to names, not the other way round.',
    permitted: 'There is no other way.',
  },
  'cannot be had': { found: 'The secret cannot be had.', permitted: 'The call had a secret.' },
  'goes on': { found: 'The call goes on.', permitted: 'The packet goes on the wire.' },
  comes: { found: 'It prints output as it comes.', permitted: 'The request comes over TLS.' },
  'is over': { found: 'The call is over.', permitted: 'The request is over the limit.' },
  'as it is': { found: 'It leaves the file as it is.', permitted: 'It streams text as it is written.' },
  mend: { found: 'It mends the index.', permitted: 'We recommend an amendment.' },
  'at once': { found: 'It stops at once.', permitted: 'It stops once.' },
  'so that, twice': {
    found: 'It syncs so that nothing is lost, so that you can pull the plug.',
    permitted: 'It syncs so that nothing is lost. It locks so that you can pull the plug.',
  },
  fragment: {
    found: '/** Why a call is refused. */',
    permitted: '/** The reason that a call is refused. */',
    path: 'packages/core/src/a.ts',
  },
  door: { found: 'Every door leads here.', permitted: 'It looks for backdoors.' },
  room: { found: 'Each room has an index.', permitted: 'It makes room for the next.' },
  wall: { found: 'The walls are up.', permitted: 'It limits wall time.' },
  gate: { found: 'Requests pass the gate.', permitted: 'It aggregates the requests.' },
  cell: { found: 'The process is in a cell.', permitted: 'A table cell is empty.' },
  accounts: { found: "It reads the kernel's accounts.", permitted: 'It creates user accounts.' },
  ceilings: { found: 'The ceilings apply.', permitted: 'Capability ceilings apply.' },
  lent: { found: 'The handle is lent.', permitted: 'The handle is silent.' },
  tied: { found: 'The call is tied to its client.', permitted: 'The result is a tie.' },
  masked: { found: 'Secrets are masked.', permitted: 'It sets the umask.' },
  covered: { found: 'Secrets are covered.', permitted: 'The host is covered by a grant.' },
  learned: { found: 'Values that were learned expire.', permitted: 'It merges learned skills.' },
  "the log's key": { found: "It reads the log's key.", permitted: 'It reads the audit signing key.' },
};

describe('the search for stiff wording', () => {
  test('has a sentence to find and a permitted twin for every pattern', () => {
    expect(Object.keys(sentences)).toEqual(patterns.map(({ name }) => name));
  });

  test.each(Object.entries(sentences))('finds "%s" and leaves its permitted twin alone', (name, each) => {
    const { path = 'docs/page.md' } = each;
    expect(found(path, each.found)).toEqual([`1 ${name}`]);
    expect(found(path, each.permitted)).toEqual([]);
  });

  test.each([
    ['on one line', '/** How a run ended. */'],
    ['of several lines', '/**\n * How a run ended.\n */', 2],
    ['of a property', 'interface A {\n  /** Of a link. */\n  target?: string;\n}', 2],
    ['of a property, of several lines', 'interface A {\n  /**\n   * Of a link.\n   */\n}', 3],
    ['after code and an empty line', 'const a = 1;\n\n/** Where a node listens. */', 3],
  ])('finds a fragment at the beginning of a doc comment %s', (_what, text, line = 1) => {
    expect(found('packages/core/src/a.ts', text)).toEqual([`${line} fragment`]);
  });

  test.each([
    ['a choice between two states', '/** Whether a run ended. */'],
    ['a later sentence', '/** Ends. What is left is deleted. */'],
    ['a later line', '/**\n * Ends, and says\n * why.\n *\n * What is left is deleted.\n */'],
    ['a line comment, which is a sentence', '// What is left is deleted.'],
    ['a string', "test('what is left is deleted', () => {});"],
    ['a page', '# How a run ends\n\nWhat is left is deleted.', 'docs/page.md'],
  ])('finds no fragment in %s', (_what, text, path = 'packages/core/src/a.ts') => {
    expect(found(path, text)).toEqual([]);
  });

  test.each([
    ['a line comment', '// The client is told.'],
    ['a line comment that continues', 'const a = 1; // The client is\n// told.', 2],
    ['a block comment', 'const a = 1;\n/**\n * The client is\n * told.\n */', 4],
    ['a string', "throw new Error('the client is told');"],
    ['a template', `const a = \`\${client} is told\`;`],
    ['a string inside a template', `const a = \`a \${b ? 'client is told' : ''}\`;`],
    ['a template around a template', `const a = \`\${\`b \${c}\`} is told\`;`],
    ['the name of a test', "test('the client is told', () => {});"],
    ['a comment after a regular expression with slashes', 'const a = /[/]*"/; // told'],
    ['a comment after a string with slashes', "const a = 'https://example.com'; // told"],
  ])('reads %s', (_what, text, line = 1) => {
    expect(found('packages/core/src/a.ts', text)).toEqual([`${line} told`]);
  });

  test.each([
    ['an identifier', 'const told = door.nobody(whoever); // ends'],
    ['a string of one word', "const via = 'door';"],
    ['an import', "import { told } from './door/told.ts';"],
    ['a regular expression', 'const a = /is told/;'],
    ['the code of a template', `const a = \`the \${told.door} ends\`;`],
    ['inline code in a comment', '// Calls `told` first.'],
    ['words of two strings', "const a = ['it is', 'there now'];"],
    ['words of two comments', '// It is\n\n// there.'],
  ])('does not read %s', (_what, text) => {
    expect(found('packages/core/src/a.ts', text)).toEqual([]);
  });

  test('reads the comments of a code block and not its code, nor inline code', () => {
    const page = ['Run `told`:', '', '```yaml', 'door: told # the door', '```', '', 'The client is', 'told.'];
    expect(found('docs/page.md', page.join('\n'))).toEqual(['4 door', '8 told']);
  });

  test('joins the lines of a paragraph and of a comment', () => {
    expect(found('docs/page.md', 'The file is\nthere.')).toEqual(['1 is there']);
    expect(found('packages/core/src/a.ts', '  // The file is\n  // there.')).toEqual(['1 is there']);
    expect(found('packages/core/src/a.ts', '/**\n * The file is\n * there.\n */')).toEqual(['2 is there']);
  });

  test('does not join paragraphs, cells of a table or items of a list', () => {
    expect(found('docs/page.md', 'It is\n\nthere.\n\n| it is | there |\n\n- it is\n- there')).toEqual([]);
  });

  test('gives the sentence as it was written', () => {
    const [hit] = findHits('docs/page.md', 'First. Then `a` is\ntold [b](c.md). Last.');
    expect(hit?.sentence).toBe('Then `a` is told [b](c.md)');
  });
});

describe('the check of wording', () => {
  const stiff = 'The client is told.\n';
  const lists = 'scripts/check/wording';

  test('passes where nothing is found, and reports the rate', async () => {
    expect(await check({ 'docs/page.md': 'The client receives it.\n' })).toEqual({
      code: 0,
      stdout: 'hits per 1,000 lines: docs 0.0, source 0.0, tests 0.0\n',
    });
  });

  test('fails with the place, the sentence and what to write instead', async () => {
    const { code, stdout } = await check({ 'docs/page.md': `# Page\n\n${stiff}` });
    expect(code).toBe(1);
    expect(stdout).toContain(
      'docs/page.md:3: told: "The client is told"\n    instead: reports, logs, emits, receives; an event\n',
    );
  });

  test('fails where there is nothing to read', async () => {
    expect(await check({ 'a.txt': '' })).toMatchObject({ code: 1 });
  });

  test('lets an allowed sentence pass in its file, and in no other', async () => {
    const allowed = { [`${lists}/allowed.txt`]: '# true uses\ntold | docs/page.md | client is told\n' };
    expect(await check({ ...allowed, 'docs/page.md': stiff })).toMatchObject({ code: 0 });
    const { code, stdout } = await check({ ...allowed, 'docs/page.md': stiff, 'docs/other.md': stiff });
    expect(code).toBe(1);
    expect(stdout).toContain('docs/other.md:1: told');
    expect(stdout).not.toContain('docs/page.md:1: told');
  });

  test('fails for an allowed sentence that no file has', async () => {
    const { code, stdout } = await check({
      [`${lists}/allowed.txt`]: 'told | docs/page.md | client is told\n',
      'docs/page.md': 'The client receives it.\n',
    });
    expect(code).toBe(1);
    expect(stdout).toContain(`${lists}/allowed.txt:1: matches no hit`);
  });

  test('counts the hits of each pattern in each area', async () => {
    const { code, stdout } = await check(
      { 'docs/page.md': stiff, 'packages/core/a.ts': '// told\n', 'packages/core/a.test.ts': '// told\n' },
      '--count',
    );
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual(
      expect.arrayContaining([
        '| pattern | docs | core | runtime | server | client | other packages | tests | tools | all |',
        '| told | 1 | 1 | 0 | 0 | 0 | 0 | 1 | 0 | 3 |',
        '| **hits** | 1 | 1 | 0 | 0 | 0 | 0 | 1 | 0 | 3 |',
        '| lines | 1 | 1 | 0 | 0 | 0 | 0 | 1 | 0 | 3 |',
      ]),
    );
  });
});

/** `line pattern` of each hit. */
function found(path: string, text: string): string[] {
  return findHits(path, text).map(({ line, pattern }) => `${line} ${pattern.name}`);
}

async function check(files: Record<string, string>, ...args: string[]) {
  const folder = await temporaryFolder({ ...files, '.gitignore': 'dist/\n' });
  const script = fileURLToPath(new URL('../../scripts/check/wording.mjs', import.meta.url));
  return promisify(execFile)(process.execPath, [script, '--root', folder, ...args]).then(
    ({ stdout }) => ({ code: 0, stdout }),
    ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
  );
}
