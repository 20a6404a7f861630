// Threat model: T334

import { expect, test } from 'vitest';
import { someSkill } from '../../testing/some-skill.ts';
import { isRunSkill, mcpTool } from './skill-tool.ts';

function toolOf(run: object) {
  const made = someSkill('x', JSON.stringify({ run: { runtime: 'process', entry: 'run.py', ...run } }));
  if (!isRunSkill(made)) throw new Error('the skill has a run');
  return mcpTool(made);
}

const plain = { type: 'object', properties: { n: { type: 'integer' } } };

test("the tool's arguments are the skill's input", () => {
  expect(toolOf({ input: plain }).read({ n: 1 })).toEqual({ input: { input: { n: 1 } } });
  const wrapped = toolOf({ input: { type: 'string' } });
  expect(wrapped.read({ input: 'a' })).toEqual({ input: { input: 'a' } });
  expect(() => wrapped.read({ input: 'a', m: 1 })).toThrow(/invalid arguments for x/);
  const unusual = toolOf({ input: { type: 'object', properties: { größe: {} } } });
  expect(unusual.read({ input: { größe: 1 } })).toEqual({ input: { input: { größe: 1 } } });
  expect(() => unusual.read({ größe: 1 })).toThrow(/invalid arguments for x/);
  const command = toolOf({ protocol: 'command' });
  expect(command.read({ args: ['a'], files: [{ path: 'f', text: 'x' }] })).toEqual({
    input: { args: ['a'], files: [{ path: 'f', content: Buffer.from('x') }] },
  });
  expect(() => command.read({ arg: ['a'] })).toThrow(/arg/);
});

test('stdin follows the other fields of a command, whose order the digest of the input in the log depends on', () => {
  const { input } = toolOf({ protocol: 'command' }).read({
    stdinBase64: 'AP8=',
    files: [{ path: 'f', base64: 'AA==' }],
    args: ['a'],
  });
  expect(Object.entries(input)).toEqual([
    ['args', ['a']],
    ['files', [{ path: 'f', content: Buffer.from([0]) }]],
    ['stdin', Buffer.from([0, 255])],
  ]);
});

test('the output is structured if the skill has an output schema', () => {
  expect(toolOf({})).toMatchObject({ structured: undefined });
  expect(toolOf({}).definition).not.toHaveProperty('outputSchema');
  const [object, number] = [toolOf({ output: plain }), toolOf({ output: { type: 'number' } })];
  expect(object.definition.outputSchema).toEqual(plain);
  expect(object.structured?.({ n: 1 })).toEqual({ n: 1 });
  expect(number.definition.outputSchema).toMatchObject({ properties: { output: { type: 'number' } } });
  expect(number.structured?.(7)).toEqual({ output: 7 });
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
  const { definition, read } = toolOf({ ...run, ...workspace });
  expect(definition.inputSchema.properties).toMatchObject({ [name]: argument });
  expect(definition.inputSchema.required ?? []).not.toContain(name);
  expect(read({ ...own, [name]: 'w1' })).toEqual({ input, workspace: 'w1' });
  expect(read(own)).toEqual({ input });
  expect(() => read({ ...own, [name]: 7 })).toThrow(/invalid arguments for x: .*workspace/);
});

test("the argument for a workspace is the skill's own if it has no workspace, or uses the name itself", () => {
  const without = toolOf({ input: plain });
  expect(without.definition.inputSchema).toEqual(plain);
  const command = toolOf({ protocol: 'command' });
  expect(command.definition.inputSchema.properties).not.toHaveProperty('workspace');
  const input = { type: 'object', properties: { ambit_workspace: { type: 'integer' } } };
  const named = toolOf({ input, ...workspace });
  expect(named.definition.inputSchema).toEqual(input);
  for (const { read } of [without, named])
    expect(read({ ambit_workspace: 7 })).toEqual({ input: { input: { ambit_workspace: 7 } } });
});
