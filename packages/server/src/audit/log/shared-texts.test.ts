// Threat model: T308, T309

import { canonicalJson } from '@ambit/core/json';
import { expect, test } from 'vitest';
import { sharedTexts } from './shared-texts.ts';

test('caches the text of a deeply frozen object, and an event with it has the same text', () => {
  const { textOf } = sharedTexts();
  const shared = Object.freeze({ b: Object.freeze(['"']), a: 1 });
  expect([textOf(shared), textOf(shared)]).toEqual(Array(2).fill('{"a":1,"b":["\\""]}'));
  const event = { z: shared, c: { shared, b: undefined } };
  expect(canonicalJson(event, textOf)).toBe(canonicalJson(event));
});

test('does not cache the text of an object that can change, even deep inside', () => {
  const { textOf } = sharedTexts();
  const inner = { n: 1 };
  const outer = Object.freeze({ list: Object.freeze([inner]) });
  expect(textOf(outer)).toBeUndefined();
  expect(canonicalJson(outer, textOf)).toBe('{"list":[{"n":1}]}');
  inner.n = 2;
  expect(canonicalJson(outer, textOf)).toBe('{"list":[{"n":2}]}');
});
