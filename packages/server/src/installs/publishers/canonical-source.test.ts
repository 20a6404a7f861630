// Threat model: T147

import { expect, test } from 'vitest';
import { publishersOf } from './canonical-source.ts';

function matches(pattern: string, source: string): boolean {
  return publishersOf([{ name: 'acme', match: [pattern], ed25519: ['/k'] }], source).length > 0;
}

test.each([
  'acme/skills',
  'Acme/Skills#v1:forms',
  'https://github.com/acme/skills',
  'https://GitHub.com/acme/skills.git',
  'https://github.com:443/acme//skills/',
  'https://github.com/%61cme/skills',
  'https://github.com/other/../acme/skills',
  'https://github.com./acme/skills',
  'https://github.com/acme/skills?x=1',
  'https://github.com/acme/skills/tree/main/forms',
  'https://github.com/acme/skills/blob/main/forms/SKILL.md#x',
  'https://github.com/acme/skills.git/-/tree/main/forms',
])('acme/* matches %s, as another spelling of the same repository', (source) => {
  expect(matches('acme/*', source)).toBe(true);
});

test.each([
  'acme2/skills',
  'other/acme',
  'https://evil.example/acme/skills',
  'https://evil.example/https://github.com/acme/skills',
  'https://github.com.evil.example/acme/skills',
  'https://github.com/other/skills/tree/main/acme/skills',
  'https://evil.example/acme/skills/tree/main/forms',
  '/srv/acme/skills',
])('acme/* does not match %s', (source) => {
  expect(matches('acme/*', source)).toBe(false);
});

test.each([
  ['https://a.example/acme/**', 'https://a.example/acme/releases/v1.zip', true],
  ['https://a.example/acme/*', 'https://a.example/acme/releases/v1.zip', false],
  ['/srv/skills/*', '/srv/skills/acme', true],
  ['/srv/skills', '/srv/skills2', false],
  ['/srv/skills/*', '/srv/other/../skills/acme/', true],
  ['/srv/skills/*', '/srv/skills/../other', false],
  ['https://github.com/acme/skills.git', 'acme/skills', true],
  ['https://github.com/acme/skills/', 'acme/skills', true],
  ['https://GitHub.com:443/acme/*', 'acme/skills', true],
  ['https://bücher.example/*', 'https://xn--bcher-kva.example/skills', true],
  ['https://*.example/acme/*', 'https://git.example/acme/skills', true],
  ['https://*.example/acme/*', 'https://git.evil/acme/skills', false],
  ['https://a.example', 'https://a.example/', true],
  ['https://a.example', 'https://a.example/.well-known/agent-skills/index.json', true],
  ['https://a.example', 'https://a.example/other', false],
  ['oci://a.example/acme/skills', 'oci://a.example/acme/skills:v1', true],
  ['oci://a.example/acme/*', 'OCI://A.example:443/acme/skills:v1@sha256:00', true],
  ['oci://a.example/acme/skills', 'oci://a.example/acme/skills2:v1', false],
  ['oci://a.example/acme/skills', 'https://a.example/acme/skills', false],
  ['mcp+https://a.example/mcp', 'mcp+https://A.example:443/mcp', true],
  ['mcp+https://a.example/mcp', 'https://a.example/mcp', false],
])('%s and %s: %s', (pattern, source, is) => {
  expect(matches(pattern, source)).toBe(is);
});
