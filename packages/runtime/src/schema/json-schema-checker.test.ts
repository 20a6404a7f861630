// Threat model: T215

import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { SkillError } from '@ambit/core';
import { type JsonSchema, JsonText } from '@ambit/core/json';
import { afterAll, describe, expect, test } from 'vitest';
import { jsonSchemaChecker } from './json-schema-checker.ts';

const checker = jsonSchemaChecker();
afterAll(() => checker.close());

/** For keys that an object literal cannot have or that the linter refuses: `__proto__`, `then`. */
const json = (text: string) => JSON.parse(text);

/**
 * Each schema is tried unchanged, which may run in the calling thread, and with a `$defs`, which
 * always runs in the other thread.
 */
const everywhere: [string, (schema: JsonSchema) => JsonSchema][] = [
  ['in either thread', (schema) => schema],
  [
    'in the checking thread',
    (schema) => (typeof schema === 'boolean' ? { allOf: [schema], $defs: {} } : { $defs: {}, ...schema }),
  ],
];

describe.each(everywhere)('a check %s', (_, place) => {
  test.each<[string, JsonSchema, unknown, [at: string, keyword: string, message: string][]]>([
    ['a valid value', { type: 'object', required: ['csv'] }, { csv: '' }, []],
    ['anything', {}, { a: [1] }, []],
    [
      'a missing property',
      { required: ['csv', 'sep'] },
      {},
      [
        ['', 'required', 'missing property "csv"'],
        ['', 'required', 'missing property "sep"'],
      ],
    ],
    ['a wrong type', { type: 'string' }, [1], [['', 'type', 'must be a string, not an array']]],
    [
      'a type that is none of several',
      { type: ['integer', 'null'] },
      1.5,
      [['', 'type', 'must be an integer or null, not a number']],
    ],
    [
      'too large a number',
      { properties: { n: { maximum: 100 } } },
      { n: 101 },
      [['/n', 'maximum', 'must be at most 100']],
    ],
    [
      'too small a number',
      { properties: { n: { exclusiveMinimum: 0 } } },
      { n: 0 },
      [['/n', 'exclusiveMinimum', 'must be greater than 0']],
    ],
    [
      'a number between multiples',
      { multipleOf: 0.01 },
      0.075,
      [['', 'multipleOf', 'must be a multiple of 0.01']],
    ],
    ['too short a text', { minLength: 1 }, '', [['', 'minLength', 'must have at least 1 character']]],
    ['too many elements', { maxItems: 2 }, [1, 2, 3], [['', 'maxItems', 'must have at most 2 elements']]],
    [
      'too few properties',
      { minProperties: 2 },
      { a: 1 },
      [['', 'minProperties', 'must have at least 2 properties']],
    ],
    ['the wrong constant', { const: { a: [1] } }, {}, [['', 'const', 'must be {"a":[1]}']]],
    ['a value outside an enum', { enum: ['a', 1, null] }, 'b', [['', 'enum', 'must be one of "a", 1, null']]],
    [
      'an unknown property',
      { properties: { a: true }, additionalProperties: false },
      { a: 1, 'b/c': 2 },
      [['/b~1c', 'additionalProperties', 'unknown property "b/c"']],
    ],
    [
      'a forbidden property',
      { properties: { a: false } },
      { a: 1 },
      [['/a', 'properties', 'is not allowed']],
    ],
    [
      'one element too many',
      { prefixItems: [true], items: false },
      [1, 2],
      [['/1', 'items', 'is one element too many']],
    ],
    [
      'a dependent property',
      { dependentRequired: { a: ['b'] } },
      { a: 1 },
      [['', 'dependentRequired', 'property "b" is missing, which "a" requires']],
    ],
    [
      'no matching element',
      { contains: { type: 'string' } },
      [1, 2],
      [['', 'contains', 'must have at least 1 element matching "contains"']],
    ],
    [
      'an invalid property name',
      { propertyNames: { maxLength: 1 } },
      { ab: 1 },
      [['', 'propertyNames', 'has a property with a name that "propertyNames" does not allow']],
    ],
    [
      'no matching alternative',
      { anyOf: [{ type: 'string' }, { required: ['a'] }] },
      {},
      [['', 'anyOf', 'matches no alternative: must be a string, not an object; or missing property "a"']],
    ],
    [
      'no matching alternative, deeper',
      { anyOf: [{ properties: { a: { type: 'string' } } }] },
      { a: 1 },
      [['', 'anyOf', 'matches no alternative: /a: must be a string, not a number']],
    ],
    [
      'two matching alternatives',
      { oneOf: [{ type: 'number' }, { minimum: 2 }] },
      3,
      [['', 'oneOf', 'must match exactly one of 2 alternatives']],
    ],
    [
      'a forbidden type',
      { not: { type: 'string' } },
      'a',
      [['', 'not', 'must not match the schema in "not"']],
    ],
    [
      'a condition',
      json('{"if":{"required":["a"]},"then":{"required":["b"]}}'),
      { a: 1 },
      [['', 'required', 'missing property "b"']],
    ],
    ['nothing', { items: false }, [1], [['/0', 'items', 'is one element too many']]],
    [
      'nested places',
      { items: { properties: { 'ü%~/': { type: 'string' } } } },
      [{ 'ü%~/': 1 }],
      [['/0/ü%~0~1', 'type', 'must be a string, not a number']],
    ],
    ['a format, which is only an annotation', { format: 'email' }, 'x', []],
    [
      'property names that every object inherits',
      { required: ['toString', '__proto__'], properties: json('{"__proto__":{"type":"number"}}') },
      json('{"__proto__":"x"}'),
      [
        ['', 'required', 'missing property "toString"'],
        ['/__proto__', 'type', 'must be a number, not a string'],
      ],
    ],
    [
      '__proto__ as an unknown property',
      { additionalProperties: false },
      json('{"__proto__":1}'),
      [['/__proto__', 'additionalProperties', 'unknown property "__proto__"']],
    ],
    ['__proto__ in a constant', { const: {} }, json('{"__proto__":1}'), [['', 'const', 'must be {}']]],
  ])('reports the place, the keyword and the problem: %s', async (_label, schema, value, issues) => {
    const found = await checker.check(place(schema), value);
    expect([...found].sort(byPlace)).toEqual(
      issues.map(([at, keyword, message]) => ({ at, keyword, message })).sort(byPlace),
    );
  });

  test('returns at most 20 issues', async () => {
    const issues = await checker.check(place({ items: { type: 'string' } }), new Array(100).fill(1));
    expect(issues.map(({ at }) => at)).toEqual(Array.from({ length: 20 }, (_unused, index) => `/${index}`));
  });
});

test('accepts true and false as schemas', async () => {
  expect(await checker.check(true, 1)).toEqual([]);
  expect(await checker.check(false, 1)).toEqual([{ at: '', keyword: 'false', message: 'is not allowed' }]);
});

describe('the specification', () => {
  const tree = {
    $id: 'https://skill.example/strict',
    $dynamicAnchor: 'node',
    $ref: 'tree',
    unevaluatedProperties: false,
    $defs: {
      tree: {
        $id: 'tree',
        $dynamicAnchor: 'node',
        properties: { data: true, children: { items: { $dynamicRef: '#node' } } },
      },
    },
  };
  test.each<[string, JsonSchema, fits: unknown[], doesNot: unknown[]]>([
    [
      'unevaluatedProperties considers allOf',
      { allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
      [{ a: 1 }],
      [{ b: 1 }],
    ],
    [
      'unevaluatedItems considers prefixItems',
      { prefixItems: [true], unevaluatedItems: false },
      [[1]],
      [[1, 2]],
    ],
    [
      'a dynamic reference resolves to the outermost anchor',
      tree,
      [{ children: [{ data: 1 }] }],
      [{ children: [{ daat: 1 }] }],
    ],
    [
      'a reference may have sibling keywords',
      { $defs: { a: { type: 'object' } }, properties: { x: { $ref: '#/$defs/a', maxProperties: 1 } } },
      [{ x: { a: 1 } }],
      [{ x: { a: 1, b: 1 } }, { x: 1 }],
    ],
    [
      'a reference is a pointer with escapes',
      { $defs: { 'a/b%': { type: 'number' } }, $ref: '#/$defs/a~1b%25' },
      [1],
      ['s'],
    ],
    [
      'an anchor is a name',
      { $ref: '#foo', $defs: { a: { $anchor: 'foo', type: 'integer' } } },
      [1, 1.0],
      ['a', 1.5],
    ],
    [
      'an id is a base URI',
      {
        $id: 'https://skill.example/root',
        properties: { a: { $ref: 'item' } },
        $defs: { b: { $id: 'item', type: 'number' } },
      },
      [{ a: 1 }],
      [{ a: 's' }],
    ],
    [
      'a schema can refer to itself',
      { properties: { next: { $ref: '#' } }, additionalProperties: false },
      [{ next: { next: {} } }],
      [{ next: { next: { x: 1 } } }],
    ],
    [
      "a schema can refer to the specification's schemas",
      { $ref: 'https://json-schema.org/draft/2020-12/schema' },
      [{ type: 'string' }, true],
      [{ type: 'strng' }],
    ],
    [
      'uniqueItems compares by value',
      { uniqueItems: true },
      [
        [1, true, '1'],
        [{ a: 1 }, { a: 2 }],
      ],
      [
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      ],
    ],
  ])('follows the specification: %s', async (_, schema, fits, doesNot) => {
    for (const value of fits) expect(await checker.check(schema, value)).toEqual([]);
    for (const value of doesNot) expect((await checker.check(schema, value)).length).toBeGreaterThan(0);
  });
});

describe('an unusable schema', () => {
  test.each<[string, JsonSchema, string]>([
    [
      'an unknown type',
      { properties: { a: { type: 'strng' } } },
      'is not valid under https://json-schema.org/draft/2020-12/schema: see /properties/a/type',
    ],
    [
      'a keyword of the wrong type',
      { required: 'a', minimum: 'x' },
      'is not valid under https://json-schema.org/draft/2020-12/schema: see /required, /minimum',
    ],
    [
      'an invalid pattern',
      { pattern: '(' },
      'cannot be used: Invalid regular expression: /(/u: Unterminated group',
    ],
    [
      'another dialect',
      { $schema: 'http://json-schema.org/draft-07/schema#' },
      "cannot be used: Encountered unknown dialect 'http://json-schema.org/draft-07/schema'",
    ],
    [
      'a reference to a missing place',
      { $ref: '#/$defs/none' },
      "cannot be used: Value at '/$defs' is undefined and does not have property 'none'",
    ],
    [
      'a reference to a file',
      { $ref: 'file:///etc/hostname' },
      'refers to file:///etc/hostname, which is not in the schema, and nothing is fetched',
    ],
    [
      'a reference to a sibling file',
      { $ref: 'other.json' },
      'refers to other.json, which is not in the schema, and nothing is fetched',
    ],
    ['only a reference to itself', { $ref: '#' }, 'refers to itself without end or is nested too deeply'],
    ['its own dialect', { $vocabulary: {} }, 'has a $vocabulary, which only a dialect definition may have'],
    [
      'its own dialect in a subschema',
      { $defs: { a: { $id: 'https://json-schema.org/draft/2020-12/schema', $vocabulary: {} } } },
      'has a $vocabulary, which only a dialect definition may have',
    ],
    [
      'more than 20 000 values',
      { enum: new Array(20_000).fill(1) },
      'is too large: it must not have more than 20000 values',
    ],
    [
      'deep nesting',
      nested(10_000, (inner) => ({ not: inner })) as JsonSchema,
      'is too large: it must not be nested more than 512 levels deep',
    ],
  ])('refuses a schema with %s and says why', async (_, schema, problem) => {
    await expect(checker.check(schema, {})).rejects.toThrow(
      new SkillError('SKILL_INVALID', `the skill's JSON Schema ${problem}`),
    );
  });

  test('fetches nothing, not even from this machine', async () => {
    const requests: string[] = [];
    const server = createServer((request, response) => {
      requests.push(request.url ?? '');
      response.setHeader('content-type', 'application/schema+json').end('{"type":"string"}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/schema`;
    await expect(checker.check({ $ref: url }, 'a')).rejects.toThrow(
      `refers to ${url}, which is not in the schema, and nothing is fetched`,
    );
    await expect(checker.check({ $schema: url }, 'a')).rejects.toThrow(
      'cannot be used: Encountered unknown dialect',
    );
    await new Promise((resolve) => server.close(resolve));
    expect(requests).toEqual([]);
  });

  test("does not let a schema replace one of the specification's schemas", async () => {
    const impostor = { $id: 'https://json-schema.org/draft/2020-12/schema', type: 'string' };
    await expect(checker.check(impostor, 'a')).rejects.toThrow(
      "the skill's JSON Schema cannot be used: A schema has already been registered",
    );
    const inside = { $defs: { a: { ...impostor } } };
    await checker.check(inside, 'a');
    await expect(checker.check({ $defs: {}, type: 'strng' }, 'a')).rejects.toThrow(
      'is not valid under https://json-schema.org',
    );
  });
});

describe('a check that takes too long', () => {
  const exponential = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [
      `a${index}`,
      { allOf: [{ $ref: `#/$defs/a${index + 1}` }, { $ref: `#/$defs/a${index + 1}` }] },
    ]),
  );
  test.each<[string, JsonSchema, unknown]>([
    ['a pattern', { pattern: '^(a+)+$' }, `${'a'.repeat(60)}!`],
    ['references', { $ref: '#/$defs/a0', $defs: { ...exponential, a40: true } }, 1],
  ])('ends a check of %s that takes too long', async (_, schema, value) => {
    const checks = jsonSchemaChecker({ timeoutMs: 200 });
    await expect(checks.check(schema, value)).rejects.toThrow(
      new SkillError('SKILL_INVALID', "the skill's JSON Schema took longer than 200 ms to check this value"),
    );
    await checks.close();
  });

  test('answers the checks that waited behind a check that was ended, and later ones', async () => {
    const checks = jsonSchemaChecker({ timeoutMs: 200 });
    const hostile = (): Promise<unknown> =>
      Promise.resolve(checks.check({ pattern: '^(a+)+$' }, `${'a'.repeat(60)}!`)).catch(
        (error: SkillError) => error.code,
      );
    const honest = async (text: string): Promise<unknown> => checks.check({ pattern: '^b$' }, text);
    const refusal = [{ at: '', keyword: 'pattern', message: 'must match the pattern ^b$' }];
    expect(
      await Promise.all([honest('b'), hostile(), honest('b'), honest('c'), hostile(), honest('b')]),
    ).toEqual([[], 'SKILL_INVALID', [], refusal, 'SKILL_INVALID', []]);
    expect(await honest('c')).toEqual(refusal);
    await checks.close();
  });

  test('does not delay a plain schema behind a slow check', async () => {
    const checks = jsonSchemaChecker({ timeoutMs: 2000 });
    const order: string[] = [];
    const hostile = Promise.resolve(checks.check({ pattern: '^(a+)+$' }, `${'a'.repeat(60)}!`)).catch(() =>
      order.push('hostile'),
    );
    await checks.check({ type: 'string' }, 'a');
    order.push('plain');
    await hostile;
    expect(order).toEqual(['plain', 'hostile']);
    await checks.close();
  });
});

test('checks a value given as text like the value itself, against plain schemas too', async () => {
  const numbers = Array.from({ length: 10_000 }, (_, index) => index);
  const text = (value: unknown) => new JsonText(Buffer.from(JSON.stringify(value)), 'a digest');
  const issue = { at: '/10000', keyword: 'type', message: 'must be a number, not a string' };
  for (const schema of [
    { items: { type: 'number' } },
    { items: { $ref: '#/$defs/a' }, $defs: { a: { type: 'number' } } },
  ]) {
    expect(await checker.check(schema, text(numbers))).toEqual([]);
    expect(await checker.check(schema, text([...numbers, 'a']))).toEqual([issue]);
  }
  expect(await checker.check(true, text('a'))).toEqual([]);
});

test('refuses a number that is not finite under any schema and reports its place', async () => {
  for (const schema of [true, {}, { type: 'object', properties: { a: { type: 'array' } } }]) {
    expect(await checker.check(schema, { a: [1e308] })).toEqual([]);
    expect(await checker.check(schema, { a: [1, Number.NEGATIVE_INFINITY] })).toEqual([
      { at: '/a/1', keyword: 'finite', message: 'must be a finite number' },
    ]);
  }
});

describe('limits on values', () => {
  test('limits the depth of a value under any schema', async () => {
    const issue = { at: '', keyword: 'maxDepth', message: 'must not be nested more than 512 levels deep' };
    const recursive = {
      $ref: '#/$defs/a',
      $defs: { a: { allOf: [{ anyOf: [{ items: { $ref: '#/$defs/a' } }] }] } },
    };
    expect(
      await checker.check(
        recursive,
        nested(512, (inner) => [inner]),
      ),
    ).toEqual([]);
    for (const schema of [recursive, {}])
      for (const depth of [513, 10_000]) {
        const value = nested(depth, (inner) => [inner]);
        expect(await checker.check(schema, value)).toEqual([issue]);
      }
  });

  test('limits the size of a value under any schema', async () => {
    const issue = { at: '', keyword: 'maxValues', message: 'must not have more than 250000 values' };
    expect(await checker.check({ type: 'array' }, new Array(249_999).fill(1))).toEqual([]);
    expect(await checker.check({ type: 'array' }, new Array(250_000).fill(1))).toEqual([issue]);
  });
});

test('keeps concurrent checks independent in either thread', async () => {
  const values = Array.from({ length: 50 }, (_, index) => index);
  for (const extra of [{}, { $defs: {} }]) {
    const all = await Promise.all(
      values.map((value) => checker.check({ ...extra, const: value }, value % 2 === 0 ? value : 'odd')),
    );
    expect(all).toEqual(
      values.map((value) =>
        value % 2 === 0 ? [] : [{ at: '', keyword: 'const', message: `must be ${value}` }],
      ),
    );
  }
});

test('does not keep the process alive while idle', async () => {
  const program = `
    import { jsonSchemaChecker } from ${JSON.stringify(new URL('./json-schema-checker.ts', import.meta.url).href)};
    console.log(JSON.stringify(await jsonSchemaChecker().check({ pattern: 'b' }, 'b')));`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--no-warnings',
    '--input-type=module',
    '--eval',
    program,
  ]);
  expect(stdout).toBe('[]\n');
});

function nested(depth: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = {};
  // The innermost value is a level of its own.
  for (let level = 1; level < depth; level++) value = wrap(value);
  return value;
}

function byPlace(a: { at: string; message: string }, b: { at: string; message: string }): number {
  return a.at < b.at ? -1 : a.at > b.at ? 1 : a.message.localeCompare(b.message);
}
