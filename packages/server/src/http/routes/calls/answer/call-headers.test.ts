import { describe, expect, test } from 'vitest';
import { idempotencyKey, readPreferences, wantsEvents } from './call-headers.ts';

describe('Prefer', () => {
  test.each([
    [undefined, false, undefined],
    ['', false, undefined],
    ['respond-async', true, undefined],
    ['Respond-Async, WAIT=10', true, 10],
    ['wait=10', false, 10],
    ['respond-async; foo="bar", wait="7"', true, 7],
    [['respond-async', 'wait=3'], true, 3],
    ['respond-async,wait=3,wait=9', true, 3],
    ['respond-async, wait=3600', true, 60],
    ['respond-async, wait=-1', true, undefined],
    ['respond-async, wait=abc', true, undefined],
    ['handling=lenient, return=minimal', false, undefined],
    ['not-respond-async', false, undefined],
  ])('reads %j according to RFC 7240', (header, respondAsync, wait) => {
    expect(readPreferences(header)).toEqual({ respondAsync, wait });
  });
});

describe('Accept', () => {
  test.each([
    ['text/event-stream', true],
    ['Text/Event-Stream; q=0.5', true],
    ['text/event-stream, application/json', true],
    ['text/event-stream;q=0.9, application/json', false],
    ['application/json;q=0.1, text/event-stream;q=0.2', true],
    ['text/event-stream;q=0', false],
    ['application/json', false],
    ['*/*', false],
    ['text/*', false],
    ['', false],
    [undefined, false],
  ])('reads whether %j names events: %s', (header, events) => {
    expect(wantsEvents(header)).toBe(events);
  });
});

describe('Idempotency-Key', () => {
  test.each([
    [undefined, undefined],
    ['"8e03978e"', '8e03978e'],
    ['8e03978e', '8e03978e'],
    [' "a b" ', 'a b'],
    ['"a \\"b\\" \\\\"', 'a "b" \\'],
    ['"a,b;c"', 'a,b;c'],
    ['x'.repeat(255), 'x'.repeat(255)],
  ])('reads %j as the key %j', (header, key) => {
    expect(idempotencyKey(header)).toBe(key);
  });

  test.each([
    '',
    '""',
    '"',
    '"a',
    'a"',
    '"a\\b"',
    'a b',
    'a, b',
    '"a", "b"',
    '"ä"',
    '"a\tb"',
    'x'.repeat(256),
    `"${'x'.repeat(256)}"`,
    ['a', 'b'] as unknown as string,
  ])('refuses %j', (header) => {
    expect(() => idempotencyKey(header)).toThrow(expect.objectContaining({ code: 'REQUEST_INVALID' }));
  });
});
