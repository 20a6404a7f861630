import { expect, test } from 'vitest';
import { canonicalJson } from '../json/canonical-json.ts';
import { eventFacts } from './event-facts.ts';

const stored = { bytes: 3, digest: `sha256:${'0f'.repeat(32)}` };
const started = { kind: 'call.started', executionId: 'e1', stored, skill: { id: 'a' } };

test('reads the facts of an event, wherever else the same member names occur', () => {
  const facts = { kind: 'call.started', executionId: 'e1', stored };
  const all = [
    started,
    { ...started, message: '"kind":"x","executionId":"y","stored":{"bytes":1}' },
    { ...started, message: 'ends in a backslash \\', more: '"kind":"' },
    { ...started, inner: { kind: 'other', executionId: 'e2', stored: null } },
    { ...started, a: { 'x"kind': 'z', 'x"executionId': 'z' } },
  ];
  expect(all.map((event) => eventFacts(canonicalJson(event)))).toEqual(all.map(() => facts));
});

test('an event of the daemon has no execution, and most events have no stored text', () => {
  expect(eventFacts(canonicalJson({ kind: 'daemon.started', time: 1 }))).toEqual({
    kind: 'daemon.started',
    executionId: null,
    stored: null,
  });
});

test('reads an id with characters that JSON escapes', () => {
  expect(eventFacts(canonicalJson({ kind: 'k', executionId: 'a"b\\' })).executionId).toBe('a"b\\');
});
