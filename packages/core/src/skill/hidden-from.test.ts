// Threat model: T368, T414

import { describe, expect, test } from 'vitest';
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
  ['disableModelInvocation: true', ['models']],
  ['disable model invocation: true', ['models']],
  ['disable\u2011model\u2011invocation: true', ['models']],
  ['disable\u2013model\u2013invocation: true', ['models']],
  ['disable-\u200Bmodel-invocation: true', ['models']],
  ['\uFF44isable-model-invocation: true', ['models']],
  ['metadata: { disable-model-invocation: "true" }', ['models']],
  ['metadata: { user-invocable: "false" }', ['menus']],
  ['Metadata: { Internal: true }', ['models']],
  ['metadata.internal: true', ['models']],
  ['disableModelInvocation: false', []],
  ['Metadata: { Internal: false }', []],
  ['metadata.internal: false', []],
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
  ['disable-model-invocation: false\nmetadata: { disableModelInvocation: true }', 'disable-model-invocation'],
  ['license: @x\n  disable\u2011model\u2011invocation: true', 'disable-model-invocation'],
  ['user-invocable: perhaps', 'user-invocable'],
  ['metadata: { internal: false }\nMetadata: { internal: true }', 'metadata.internal'],
  ['metadata:\n  - internal: true', 'metadata.internal'],
  ['metadata: { internal: 2 }', 'metadata.internal'],
  ['metadata: [a\n  internal: true', 'metadata.internal'],
  ['metadata: [internal: true]', 'metadata.internal'],
  ['license: @x\n? disable-model-invocation\n: true', 'disable-model-invocation'],
  ['license: @x\n"user-invocable": true', 'user-invocable'],
  ['metadata: "{ \\"internal\\": true, \\"internal\\": false }"', 'metadata.internal'],
])('with %j, which is unclear, it is hidden from models', (lines, key) => {
  expect(hidden(lines)).toEqual(unclear(key));
});

describe('without frontmatter', () => {
  const block = '---\nname: a\ndescription: d\ndisable-model-invocation: true\n---\nbody';

  test.each([
    ['text', `Hello\n${block}`],
    ['a blank', ` ${block}`],
    ['an invisible character', `\u200B${block}`],
    ['a second byte order mark', `\uFEFF\uFEFF${block}`],
    [
      'a comment, and has neither name nor description',
      '<!-- c -->\n---\ndisable-model-invocation: true\n---\nbody',
    ],
  ])('a skill whose block follows %s is hidden from models, with a warning', (_, text) => {
    const { hiddenFrom, warnings } = readManifest(text, 'a');
    expect([hiddenFrom, warnings.filter((warning) => warning.includes('models are not offered'))]).toEqual([
      ['models'],
      [
        'disable-model-invocation is not in frontmatter, so models are not offered the skill; begin the file with ---, name, description and ---',
      ],
    ]);
  });

  test('a skill that mentions a key in a sentence is offered to models', () => {
    expect(readManifest('# ID: a\nWrite disable-model-invocation: true to hide it.', 'a').hiddenFrom).toEqual(
      [],
    );
  });
});
