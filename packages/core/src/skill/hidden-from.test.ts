// Threat model: T368

import { expect, test } from 'vitest';
import { readManifest } from './manifest.ts';

const hidden = (lines: string) => {
  const { hiddenFrom, warnings } = readManifest(`---\nname: a\ndescription: d\n${lines}\n---\n`, 'a');
  return [hiddenFrom, warnings.filter((warning) => warning.includes('models are not offered'))];
};
const unclear = (key: string) => [
  ['models'],
  [`${key} is neither true nor false, so models are not offered the skill; write true or false`],
];

test.each([
  ['license: MIT', []],
  ['disable-model-invocation: true', ['models']],
  ['disable-model-invocation: "yes"', ['models']],
  ['Disable_Model_Invocation: true', ['models']],
  ['metadata: { internal: true }', ['models']],
  ['user-invocable: false', ['menus']],
  ['disable-model-invocation: true\nuser-invocable: false', ['models', 'menus']],
  ['disable-model-invocation: false\nuser-invocable: true\nmetadata: { internal: false }', []],
  ['argument-hint: [a] [b]\ndisable-model-invocation: true # @', ['models']],
  ['argument-hint: [a] [b]\ndisable-model-invocation: false', []],
  ['argument-hint: [a] [b]\nlicense: for internal: use', []],
  ['license: |\n  disable-model-invocation: true', []],
  ['license: not disable-model-invocation', []],
  [`metadata: '{ "internal": true }'`, ['models']],
  ['metadata: "{ \\"internal\\": true }"', ['models']],
  [`metadata: '{ "internal": false }'`, []],
])('with %j a skill is hidden from %j', (lines, from) => {
  expect(hidden(lines)).toEqual([from, []]);
});

test.each([
  ['disable-model-invocation: maybe', 'disable-model-invocation'],
  ['disable-model-invocation:', 'disable-model-invocation'],
  ['disable-model-invocation: [true]  x', 'disable-model-invocation'],
  ['disable-model-invocation: false\ndisable_model_invocation: true', 'disable-model-invocation'],
  ['license: @x\n  disable-model-invocation: true', 'disable-model-invocation'],
  ['disable-model-invocation: [false]', 'disable-model-invocation'],
  ['user-invocable: perhaps', 'user-invocable'],
  ['metadata: { internal: 2 }', 'metadata.internal'],
  ['metadata: [a\n  internal: true', 'metadata.internal'],
  ['metadata: [internal: true]', 'metadata.internal'],
  ['license: @x\n? disable-model-invocation\n: true', 'disable-model-invocation'],
  ['license: @x\n"user-invocable": true', 'user-invocable'],
  ['metadata: "{ \\"internal\\": true, \\"internal\\": false }"', 'metadata.internal'],
])('with %j, which is unclear, it is hidden from models', (lines, key) => {
  expect(hidden(lines)).toEqual(unclear(key));
});
