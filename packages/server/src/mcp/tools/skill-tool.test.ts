import { expect, test } from 'vitest';
import { someSkill } from '../../testing/some-skill.ts';
import {
  hasStructuredOutput,
  isRunSkill,
  type RunSkill,
  skillInput,
  skillTool,
  structuredOutput,
} from './skill-tool.ts';

function skill(run: object): RunSkill {
  const made = someSkill('x', JSON.stringify({ run: { runtime: 'process', entry: 'run.py', ...run } }));
  if (!isRunSkill(made)) throw new Error('it has a run');
  return made;
}

const plain = { type: 'object', properties: { n: { type: 'integer' } } };
const wrap = (name: string, inner: unknown) => ({
  ...{ type: 'object', properties: { [name]: inner }, required: [name], additionalProperties: false },
});

test.each([
  ['an object is taken as it is', plain, plain],
  ['anything else is wrapped', { type: 'string' }, wrap('input', { type: 'string' })],
  ['nothing said means anything', undefined, wrap('input', true)],
  [
    'one with references would point elsewhere, and is described',
    { anyOf: [{ $ref: '#/$defs/a' }], $defs: { a: {} } },
    wrap('input', {
      description: 'JSON that fits this schema: {"anyOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{}}}',
    }),
  ],
])('input schema: %s', (_, input, expected) => {
  expect(skillTool(skill({ input })).inputSchema).toEqual(expected);
});

test('what a tool is given is what the skill takes', () => {
  expect(skillInput(skill({ input: plain }), { n: 1 })).toEqual({ input: { n: 1 } });
  expect(skillInput(skill({ input: { type: 'string' } }), { input: 'a' })).toEqual({ input: 'a' });
  expect(() => skillInput(skill({ input: { type: 'string' } }), { input: 'a', m: 1 })).toThrow(
    /the arguments do not fit x/,
  );
  const command = skill({ protocol: 'command' });
  expect(skillInput(command, { args: ['a'], files: [{ path: 'f', text: 'x' }] })).toEqual({
    args: ['a'],
    files: [{ path: 'f', content: Buffer.from('x') }],
  });
  expect(() => skillInput(command, { arg: ['a'] })).toThrow(/arg/);
});

test('an output is structured where the skill promises one', () => {
  expect(hasStructuredOutput(skill({}))).toBe(false);
  const [object, number] = [skill({ output: plain }), skill({ output: { type: 'number' } })];
  expect([object, number].map(hasStructuredOutput)).toEqual([true, true]);
  expect(structuredOutput(object, { n: 1 })).toEqual({ n: 1 });
  expect(structuredOutput(number, 7)).toEqual({ output: 7 });
});

test('hints follow from what is requested', () => {
  const hints = (capabilities: object) => skillTool(skill({ capabilities })).annotations;
  expect(hints({ exec: ['python3'] })).toEqual({ readOnlyHint: true, openWorldHint: false });
  expect(hints({ filesystem: { write: ['workspace'] } })).toEqual({
    readOnlyHint: false,
    openWorldHint: false,
  });
  expect(hints({ state: 'write' })).toEqual({ readOnlyHint: false, openWorldHint: false });
  expect(hints({ network: ['a.example:443'] })).toEqual({ readOnlyHint: false, openWorldHint: true });
});
