import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { scriptOf } from '../../testing/script-world.ts';

const folder = new URL('../../../../../../skills/json-query/', import.meta.url);
const manual = await readFile(new URL('SKILL.md', folder), 'utf8');
const call = await scriptOf({ 'index.js': await readFile(new URL('index.js', folder)) });

async function ask(document: unknown, query: string): Promise<unknown> {
  const { verdict, output } = await call({ input: { document, query } });
  return output ?? verdict;
}

describe('the manual of json-query', () => {
  const document = JSON.parse(/```json\n(.*?)\n```/s.exec(manual)?.[1] ?? '');
  const examples = [...manual.matchAll(/^\|[^|]*\| +`+(.*?)`+ +\| +`(.*?)` +\|$/gm)];

  test('the manual of json-query has examples', () => {
    expect(examples.length).toBe(8);
  });

  test.each(examples.map(([, query = '', result = '']) => [query, result]))(
    '%s is %s',
    async (query, result) => {
      expect(await ask(document, query)).toEqual({ result: JSON.parse(result) });
    },
  );

  test('the manual names only existing functions', async () => {
    const [, list = ''] = /functions are those of JMESPath Community: (.*?)\.\n/s.exec(manual) ?? [];
    const names = list.match(/\w+/g) ?? [];
    expect(names.length).toBe(41);
    for (const name of names) {
      expect(JSON.stringify(await ask(null, `${name}()`))).toMatch(/takes|expected|argument/);
    }
  });
});

test.each([
  ['a key with other signs', { 'first-name': 1 }, '"first-name"', 1],
  ['a key that is not there', {}, 'a.b.c', null],
  ['a document that is no object', [3, 1, 2], 'sort(@)', [1, 2, 3]],
  ['a variable', { n: 2, list: [1, 2, 3] }, 'let $n = n in list[?@ > $n]', [3]],
  ['false and 0 and empty', { a: [false, 0, '', null] }, 'a', [false, 0, '', null]],
  [
    'what every object has',
    { a: {} },
    '[toString, a.constructor, a.__proto__, merge(a, a).valueOf]',
    [null, null, null, null],
  ],
  [
    'keys that are names of such',
    JSON.parse('{ "toString": 1, "__proto__": { "x": 2 } }'),
    '[toString, __proto__.x]',
    [1, 2],
  ],
])('json-query evaluates a query: %s', async (_, document, query, result) => {
  const answer = (await ask(document, query)) as { result: unknown };
  expect(answer).toEqual({ result });
});

describe('invalid queries', () => {
  test.each([
    ['foo[', 'expected Star, got: the end, at character 5\n  foo[\n      ^'],
    ['orders[?id ==', 'the query is incomplete, at character 14\n  orders[?id ==\n               ^'],
    ['a..b', 'unexpected token: .(Dot), at character 3\n  a..b\n    ^'],
    ['a # b # c', 'unknown character: #, at character 3\n  a # b # c\n    ^'],
    ['"a" || "b', 'unexpected end of JSON input, at character 8\n  "a" || "b\n         ^'],
    ['a\n b c', 'unexpected token type: UnquotedIdentifier, value: b, at character 4\n   b c\n   ^'],
    ["'no' == no(@)", "Unknown function: no(), at character 9\n  'no' == no(@)\n          ^"],
    [
      `${'a.'.repeat(500)}]`,
      `unexpected token: ](Rbracket), at character 1001\n  ${'a.'.repeat(15)}]\n  ${' '.repeat(30)}^`,
    ],
  ])('the invalid query %j fails with the position of the error', async (query, words) => {
    expect(await ask({}, query)).toEqual({ status: 'failed', trap: `QueryError: ${words}` });
  });

  test('a document of the wrong type fails with an error about the document', async () => {
    expect(await ask({ n: 5 }, 'length(n)')).toEqual({
      status: 'failed',
      trap: 'QueryError: length() expected argument 1 to be type (string | array | object) but received type number instead.',
    });
  });

  test('an extremely nested query fails', async () => {
    expect(await ask({}, '('.repeat(2048))).toEqual({
      status: 'failed',
      trap: expect.stringMatching(/^InternalError: stack overflow\n/),
    });
  });
});

test('the same query uses the same fuel', async () => {
  const input = { document: { list: [3, 1, 2] }, query: 'sort(list)' };
  expect(await call({ input })).toEqual(await call({ input }));
});
