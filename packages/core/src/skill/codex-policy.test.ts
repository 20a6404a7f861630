// Threat model: T414

import { expect, test } from 'vitest';
import { hiddenByCodex } from './codex-policy.ts';

const offered = { hiddenFrom: [], warnings: [] };

test.each([
  'interface: { display_name: A }',
  'policy: { allow_implicit_invocation: true }',
  'policy:\n  allow_implicit_invocation: yes',
  '# policy:\n#   allow_implicit_invocation: false',
  'interface: [',
  '',
])('%j hides a skill from no one', (text) => {
  expect(hiddenByCodex(text)).toEqual(offered);
});

test.each([
  'policy:\n  allow_implicit_invocation: false',
  '\uFEFFpolicy: { allow_implicit_invocation: false }',
  'policy: { allow_implicit_invocation: "no" }',
  'Policy: { allowImplicitInvocation: false }',
  'allow_implicit_invocation: false',
])('%j hides it from models', (text) => {
  expect(hiddenByCodex(text)).toEqual({ hiddenFrom: ['models'], warnings: [] });
});

test.each([
  [
    'policy: { allow_implicit_invocation: maybe }',
    'policy.allow_implicit_invocation of agents/openai.yaml is neither true nor false',
  ],
  [
    'policy: { allow_implicit_invocation: [false] }',
    'policy.allow_implicit_invocation of agents/openai.yaml is neither true nor false',
  ],
  [
    'allow_implicit_invocation: true\npolicy: { allow_implicit_invocation: false }',
    'policy.allow_implicit_invocation of agents/openai.yaml is neither true nor false',
  ],
  [
    'policy:\n  allow_implicit_invocation: false\n  allow_implicit_invocation: true',
    'agents/openai.yaml has allow_implicit_invocation, and is not YAML',
  ],
  [
    `policy: ${'['.repeat(60_000)}allow_implicit_invocation`,
    'agents/openai.yaml has allow_implicit_invocation, and is not YAML',
  ],
  [undefined, 'agents/openai.yaml is not read, because it is a link, UTF-16 or larger than 65536 bytes'],
])('%j, which is unclear, hides it from models', (text, why) => {
  expect(hiddenByCodex(text)).toEqual({
    hiddenFrom: ['models'],
    warnings: [`${why}, so models are not offered the skill`],
  });
});
