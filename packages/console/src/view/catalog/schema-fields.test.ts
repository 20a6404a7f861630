import { expect, test } from 'vitest';
import { fieldsOf, inputOf } from './schema-fields.tsx';

const schema = {
  type: 'object',
  required: ['text', 'count'],
  properties: {
    text: { type: 'string', description: 'What to read.' },
    count: { type: 'integer' },
    mode: { enum: ['fast', 'slow'] },
    deep: { type: 'boolean' },
    options: { type: 'object' },
  },
};

function formOf(values: Readonly<Record<string, string>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(values)) form.set(name, value);
  return form;
}

test('makes a field of each member of an object', () => {
  expect(fieldsOf(schema)?.map(({ name, kind, isRequired }) => [name, kind, isRequired])).toEqual([
    ['text', 'text', true],
    ['count', 'number', true],
    ['mode', 'choice', false],
    ['deep', 'boolean', false],
    ['options', 'json', false],
  ]);
});

test('makes the input of what was filled in, with the types of the schema', () => {
  const given = formOf({ text: '', count: '3', mode: '', deep: 'true', options: '{"a":[1]}' });
  expect(inputOf(fieldsOf(schema), given)).toEqual({ text: '', count: 3, deep: true, options: { a: [1] } });
});

test.each([null, true, {}, { type: 'array' }, { type: 'object' }])(
  'asks for the whole input as JSON if the schema is %j',
  (other) => {
    expect(fieldsOf(other)).toBeUndefined();
    expect(inputOf(undefined, formOf({ 'whole input': '[1]' }))).toEqual([1]);
  },
);

test('refuses text that is not JSON', () => {
  expect(() => inputOf(undefined, formOf({ 'whole input': '{' }))).toThrow(SyntaxError);
});
