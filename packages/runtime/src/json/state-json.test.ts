// Threat model: T55, T281

import { expect, onTestFinished, test } from 'vitest';
import { jsonThread } from './json-thread.ts';
import { stateJson } from './state-json.ts';

const before = new Map([
  ['a', '1'],
  ['__proto__', '{"x":[1,{"y":"ü"}]}'],
  ['c', '"text"'],
]);

test.each<[string, string, unknown]>([
  ['an unchanged store', '{"c":"text","__proto__":{"x":[1,{"y":"\\u00fc"}]},"a":1.0}', { changes: [] }],
  [
    'a change deep inside',
    '{"a":1,"__proto__":{"x":[1,{"y":"u"}]},"c":"text"}',
    { changes: [['__proto__', '{"x":[1,{"y":"u"}]}']] },
  ],
  [
    'an added, a removed and a null key',
    '{"a":null,"__proto__":{"x":[1,{"y":"ü"}]},"d":[null]}',
    {
      changes: [
        ['d', '[null]'],
        ['a', null],
        ['c', null],
      ],
    },
  ],
  [
    'null for a key that is new',
    '{"a":1,"__proto__":{"x":[1,{"y":"ü"}]},"c":"text","e":null}',
    { changes: [] },
  ],
  [
    'a duplicate key, whose last value counts,',
    '{"a":2,"a":3,"__proto__":{"x":[1,{"y":"ü"}]},"c":"text"}',
    { changes: [['a', '3']] },
  ],
])('reads %s the same at any size', async (_, text, expected) => {
  const json = jsonThread();
  onTestFinished(() => json.close());
  // Spaces make it large without changing its content.
  for (const padded of [text, text + ' '.repeat(40_000)])
    expect(await json.readStateChanges(stateJson(before), Buffer.from(padded))).toEqual(expected);
});
