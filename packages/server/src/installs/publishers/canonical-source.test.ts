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
])('acme/* matches %s, as another spelling of the same repository', (source) => {
  expect(matches('acme/*', source)).toBe(true);
});

test.each([
  'acme2/skills',
  'other/acme',
  'https://evil.example/acme/skills',
  'https://evil.example/https://github.com/acme/skills',
  'https://github.com.evil.example/acme/skills',
  '/srv/acme/skills',
])('acme/* does not match %s', (source) => {
  expect(matches('acme/*', source)).toBe(false);
});

test.each([
  ['https://a.example/acme/**', 'https://a.example/acme/releases/v1.zip', true],
  ['https://a.example/acme/*', 'https://a.example/acme/releases/v1.zip', false],
  ['/srv/skills/*', '/srv/skills/acme', true],
  ['/srv/skills', '/srv/skills2', false],
])('%s and %s: %s', (pattern, source, is) => {
  expect(matches(pattern, source)).toBe(is);
});
