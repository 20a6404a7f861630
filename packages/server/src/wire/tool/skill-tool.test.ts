// Threat model: T123

import { expect, test } from 'vitest';
import { someSkill } from '../../testing/some-skill.ts';
import { skillTool } from './skill-tool.ts';

const toolOf = (run: object) =>
  skillTool(someSkill('x', JSON.stringify({ run: { runtime: 'process', entry: 'run.py', ...run } })));

function argumentsOf(input: unknown) {
  const tool = toolOf({ input });
  return [tool?.takes, tool?.inputSchema];
}

const wrap = (input: unknown) => ({
  type: 'object',
  properties: { input },
  required: ['input'],
  additionalProperties: false,
});
const object = (properties: unknown, more: object = {}) => ({ type: 'object', properties, ...more });
const plain = object({ n: { type: 'integer' } });

test.each([
  ['an object', plain],
  ['an object with unusual names below its own', object({ a: object({ größe: {} }) })],
  ['an object with all usual characters', object({ 'a_B.9-': {}, ['n'.repeat(64)]: {} })],
])('%s is the schema of the arguments', (_, input) => {
  expect(argumentsOf(input)).toEqual(['input', input]);
});

test.each([
  ['another type', { type: 'string' }],
  ['an object with a keyword that providers refuse', object({}, { anyOf: [{ required: ['a'] }] })],
  ['an object with a name that providers refuse', object({ größe: {} })],
  ['an object with a name that is too long for providers', object({ ['n'.repeat(65)]: {} })],
  ['an object whose properties are malformed', object(null)],
  ['an object whose required names are malformed', object({}, { required: [7] })],
])('%s is wrapped', (_, input) => {
  expect(argumentsOf(input)).toEqual(['wrapped', wrap(input)]);
});

test('without a schema, anything is accepted; one with references, which nesting would break, is described', () => {
  const references = { anyOf: [{ $ref: '#/$defs/a' }], $defs: { a: {} } };
  const description = `JSON that fits this schema: ${JSON.stringify(references)}`;
  expect(argumentsOf(undefined)).toEqual(['wrapped', wrap(true)]);
  expect(argumentsOf(references)).toEqual(['wrapped', wrap({ description })]);
});

test('hints follow from the requested capabilities', () => {
  const hints = (capabilities: object) => {
    const tool = toolOf({ capabilities });
    return { readOnly: tool?.readOnly, openWorld: tool?.openWorld };
  };
  expect(hints({ exec: ['python3'] })).toEqual({ readOnly: true, openWorld: false });
  expect(hints({ filesystem: { write: ['workspace'] } })).toEqual({ readOnly: false, openWorld: false });
  expect(hints({ state: 'write' })).toEqual({ readOnly: false, openWorld: false });
  expect(hints({ network: ['a.example:443'] })).toEqual({ readOnly: false, openWorld: true });
});
