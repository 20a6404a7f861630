import { expect, test } from 'vitest';
import { matchesPattern } from './anchored-pattern.ts';

test.each([
  ['https://a.example', 'https://a.example', true],
  ['https://a.example', 'https://a.example.evil.example', false],
  ['https://a.example', 'https://evil.example/https://a.example', false],
  ['https://a.example', 'https://aXexample', false],
  ['refs/tags/v*', 'refs/tags/v1.2.3', true],
  ['refs/tags/v*', 'refs/heads/refs/tags/v1', false],
  ['refs/tags/v*', 'refs/tags/v1/evil', false],
  ['refs/tags/**', 'refs/tags/v1/2', true],
  ['acme/*', 'acme/\nevil', true],
  ['acme/(a|b)', 'acme/a', false],
  ['', '', true],
])('the pattern %j and the text %j: %s', (pattern, text, matches) => {
  expect(matchesPattern(pattern, text)).toBe(matches);
});
