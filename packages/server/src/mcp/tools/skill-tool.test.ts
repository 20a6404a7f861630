// Threat model: T334

import { expect, test } from 'vitest';
import { someSkill } from '../../testing/some-skill.ts';
import {
  hasStructuredOutput,
  isRunSkill,
  type RunSkill,
  skillCall,
  skillTools,
  structuredOutput,
} from './skill-tool.ts';

const skillTool = skillTools();

function skill(run: object): RunSkill {
  const made = someSkill('x', JSON.stringify({ run: { runtime: 'process', entry: 'run.py', ...run } }));
  if (!isRunSkill(made)) throw new Error('the skill has a run');
  return made;
}

const plain = { type: 'object', properties: { n: { type: 'integer' } } };
const wrap = (name: string, inner: unknown) => ({
  type: 'object',
  properties: { [name]: inner },
  required: [name],
  additionalProperties: false,
});

test.each([
  ['an object is unchanged', plain, plain],
  ['any other type is wrapped', { type: 'string' }, wrap('input', { type: 'string' })],
  ['an absent schema accepts anything', undefined, wrap('input', true)],
  [
    'a schema with references is only described, because they would break',
    { anyOf: [{ $ref: '#/$defs/a' }], $defs: { a: {} } },
    wrap('input', {
      description: 'JSON that fits this schema: {"anyOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{}}}',
    }),
  ],
])('input schema: %s', (_, input, expected) => {
  expect(skillTool(skill({ input })).inputSchema).toEqual(expected);
});

test("the tool's arguments are the skill's input", () => {
  expect(skillCall(skill({ input: plain }), { n: 1 })).toEqual({ input: { input: { n: 1 } } });
  expect(skillCall(skill({ input: { type: 'string' } }), { input: 'a' })).toEqual({
    input: { input: 'a' },
  });
  expect(() => skillCall(skill({ input: { type: 'string' } }), { input: 'a', m: 1 })).toThrow(
    /invalid arguments for x/,
  );
  const command = skill({ protocol: 'command' });
  expect(skillCall(command, { args: ['a'], files: [{ path: 'f', text: 'x' }] })).toEqual({
    input: { args: ['a'], files: [{ path: 'f', content: Buffer.from('x') }] },
  });
  expect(() => skillCall(command, { arg: ['a'] })).toThrow(/arg/);
});

test('the output is structured if the skill has an output schema', () => {
  expect(hasStructuredOutput(skill({}))).toBe(false);
  const [object, number] = [skill({ output: plain }), skill({ output: { type: 'number' } })];
  expect([object, number].map(hasStructuredOutput)).toEqual([true, true]);
  expect(structuredOutput(object, { n: 1 })).toEqual({ n: 1 });
  expect(structuredOutput(number, 7)).toEqual({ output: 7 });
});

test('hints follow from the requested capabilities', () => {
  const hints = (capabilities: object) => skillTool(skill({ capabilities })).annotations;
  expect(hints({ exec: ['python3'] })).toEqual({ readOnlyHint: true, openWorldHint: false });
  expect(hints({ filesystem: { write: ['workspace'] } })).toEqual({
    readOnlyHint: false,
    openWorldHint: false,
  });
  expect(hints({ state: 'write' })).toEqual({ readOnlyHint: false, openWorldHint: false });
  expect(hints({ network: ['a.example:443'] })).toEqual({ readOnlyHint: false, openWorldHint: true });
});

const workspace = { capabilities: { filesystem: { write: ['workspace'] } } };
const argument = { type: 'string', maxLength: 200, description: expect.stringContaining('create_workspace') };

test.each([
  ['a command', { protocol: 'command' }, 'workspace', { args: ['a'] }, { args: ['a'] }],
  [
    'an input that is not an object',
    { input: { type: 'string' } },
    'workspace',
    { input: 'a' },
    { input: 'a' },
  ],
  ['an input that is an object', { input: plain }, 'ambit_workspace', { n: 1 }, { input: { n: 1 } }],
])('%s of a skill with a workspace has an argument for its id', (_, run, name, own, input) => {
  const tool = skillTool(skill({ ...run, ...workspace }));
  expect(tool.inputSchema.properties).toMatchObject({ [name]: argument });
  expect(tool.inputSchema.required ?? []).not.toContain(name);
  const called = skill({ ...run, ...workspace });
  expect(skillCall(called, { ...own, [name]: 'w1' })).toEqual({ input, workspace: 'w1' });
  expect(skillCall(called, own)).toEqual({ input });
  expect(() => skillCall(called, { ...own, [name]: 7 })).toThrow(/invalid arguments for x: .*workspace/);
});

test("the argument for a workspace is the skill's own if it has no workspace, or uses the name itself", () => {
  const without = skill({ input: plain });
  expect(skillTool(without).inputSchema).toEqual(plain);
  expect(skillTool(skill({ protocol: 'command' })).inputSchema.properties).not.toHaveProperty('workspace');
  const input = { type: 'object', properties: { ambit_workspace: { type: 'integer' } } };
  const named = skill({ input, ...workspace });
  expect(skillTool(named).inputSchema).toEqual(input);
  for (const each of [without, named])
    expect(skillCall(each, { ambit_workspace: 7 })).toEqual({ input: { input: { ambit_workspace: 7 } } });
});
