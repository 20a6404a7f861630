// Threat model: T176, T209, T214, T282

import type { Progress, RunEvent } from '@ambit/core/execute';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { isWhole } from '../../../../test/support/whole.ts';
import { secretRedactor } from '../secrets/secret-redactor.ts';
import { type LiveKind, liveRun } from './live-run.ts';
import { logText } from './progress-lines.ts';

// Assembled here, so secret scanners do not report this file.
const secrets = ['s3same-8Jq', 'ab', 'aab', '=ö=&/', 'two\nlines'].map((value) =>
  value.repeat(Math.ceil(18 / value.length)),
);
const redactor = secretRedactor(secrets);

/** Text full of secrets, parts of secrets, progress lines and parts of those. */
const parts = fc.oneof(
  fc.constantFrom(...secrets, ...secrets.map((secret) => encodeURIComponent(secret))),
  fc.constantFrom(...secrets.map((secret) => Buffer.from(secret).toString('base64'))),
  fc.constantFrom(...secrets.map((secret) => JSON.stringify(secret).slice(1, -1)), '\\', '%', '&#', '&amp;'),
  fc.constantFrom(...secrets.map((secret) => base64InLines(secret))),
  fc.constantFrom(...secrets.flatMap((secret) => [secret.slice(0, 3), secret.slice(0, -1), secret.slice(1)])),
  fc.constantFrom(
    '\n',
    '\r\n',
    '::progress 1/2\n',
    '\n::progress 3/4 ',
    '::progress x\n',
    '::prog',
    '\ufeff',
    '😀',
  ),
  fc.string({ unit: 'binary', maxLength: 5 }),
);
const bytes = fc.oneof(
  fc.array(parts).map((all) => Buffer.from(all.join(''))),
  fc
    .array(
      fc.oneof(
        parts.map((text) => Buffer.from(text)),
        fc.uint8Array({ maxLength: 3 }),
      ),
    )
    .map((all) => Buffer.concat(all)),
);
const cuts = fc.array(fc.nat(200));

test.each<LiveKind>(['stdout', 'stderr', 'log'])(
  'emits for %s, cut into any pieces, the same text that is recorded in the end',
  async (kind) => {
    vi.useFakeTimers();
    try {
      await fc.assert(
        fc.asyncProperty(bytes, cuts, cuts, fc.boolean(), async (written, at, pauses, wasCut) => {
          const events: RunEvent[] = [];
          const live = liveRun((event) => events.push(event), redactor.pieces);
          for (const [index, piece] of cutAt(written, at).entries()) {
            live.add(kind, piece);
            if (pauses.includes(index)) vi.runAllTimers();
          }
          live.end(wasCut);
          const redacted = wasCut ? cutOff(written) : redactor.bytes(written);
          const decoded = new TextDecoder().decode(redacted, { stream: wasCut });
          const recorded = kind === 'stdout' ? decoded : redactor.text(await logText(redacted, wasCut));
          expect(textOf(events)).toBe(recorded);
          for (const secret of secrets) expect(textOf(events)).not.toContain(secret);
        }),
        { numRuns: isWhole ? 2000 : 300 },
      );
    } finally {
      vi.useRealTimers();
    }
  },
);

test('emits whole lines immediately and holds back the last one, whatever it is', () => {
  vi.useFakeTimers();
  try {
    for (const beginning of ['open-', 'shut-', 'open-8Jq2Lm5Rt7', 'shut-8Jq2Lm5Rt7']) {
      const events: RunEvent[] = [];
      const live = liveRun((event) => events.push(event), secretRedactor(['open-8Jq2Lm5Rt7Wz']).pieces);
      live.add('log', Buffer.from(`one\nit is ${beginning}`));
      vi.runAllTimers();
      expect(events).toEqual([{ kind: 'log', text: 'one\n' }]);
      live.add('log', Buffer.from('Wz\n'));
      vi.runAllTimers();
      const shown = beginning === 'open-8Jq2Lm5Rt7' ? '*'.repeat(17) : `${beginning}Wz`;
      expect(events.slice(1)).toEqual([{ kind: 'log', text: `it is ${shown}\n` }]);
      live.add('log', Buffer.from(`two\nit is ${beginning}`));
      live.end(true);
      expect(events.slice(2)).toEqual([{ kind: 'log', text: 'two\n' }]);
    }
    const plainEvents: RunEvent[] = [];
    const plain = liveRun((event) => plainEvents.push(event), secretRedactor([]).pieces);
    plain.add('log', Buffer.from('it is open-'));
    vi.runAllTimers();
    expect(plainEvents).toEqual([{ kind: 'log', text: 'it is open-' }]);
  } finally {
    vi.useRealTimers();
  }
});

test('redacts a secret that a progress line interrupts, in events and in the log', async () => {
  const several = secretRedactor(['one-8Jq2Lm5Rt7Wz\ntwo']);
  const written = Buffer.from(
    'it is one-8Jq2Lm5Rt7Wz\n::progress 1/2 of it\ntwo, or one-8Jq2Lm5Rt7Wz\nthree\n',
  );
  for (const cut of [0, 8, 12, 25, 43, 49]) {
    const events: RunEvent[] = [];
    const live = liveRun((event) => events.push(event), several.pieces);
    live.add('stderr', written.subarray(0, cut));
    live.add('stderr', written.subarray(cut));
    live.end();
    expect(textOf(events)).toBe(`it is ${'*'.repeat(20)}, or one-8Jq2Lm5Rt7Wz\nthree\n`);
  }
  expect(several.text(await logText(several.bytes(written)))).toBe(
    `it is ${'*'.repeat(20)}, or one-8Jq2Lm5Rt7Wz\nthree\n`,
  );
});

test('emits many bytes in few events, the first of them immediately', () => {
  vi.useFakeTimers();
  try {
    const events: RunEvent[] = [];
    const live = liveRun((event) => events.push(event), secretRedactor([]).pieces);
    live.add('stderr', Buffer.from('x'));
    vi.advanceTimersByTime(1);
    expect(events).toHaveLength(1);
    for (let time = 0; time < 1000; time++) {
      for (let write = 0; write < 100; write++) live.add('stderr', Buffer.from('x'));
      vi.advanceTimersByTime(1);
    }
    live.end();
    expect(textOf(events)).toBe('x'.repeat(100_001));
    expect(events.length).toBeLessThanOrEqual(22);
  } finally {
    vi.useRealTimers();
  }
});

test('emits early when output arrives faster than the interval, so it does not accumulate', () => {
  vi.useFakeTimers();
  try {
    const events: RunEvent[] = [];
    const live = liveRun((event) => events.push(event));
    for (let piece = 0; piece < 9; piece++) live.add('stderr', Buffer.alloc(64 * 1024, 'x'));
    // 512 KiB in total; the rest waits for the interval.
    expect(textOf(events).length).toBe(5 * 64 * 1024);
    live.end();
    expect(textOf(events).length).toBe(9 * 64 * 1024);
  } finally {
    vi.useRealTimers();
  }
});

test('emits a long text in pieces of at most 16,384 characters without splitting a character', () => {
  const events: RunEvent[] = [];
  const live = liveRun((event) => events.push(event));
  const text = `x${'😀'.repeat(20_000)}`;
  live.add('stdout', Buffer.from(text));
  live.end();
  const lengths = events.map((event) => ('text' in event ? event.text.length : 0));
  expect([textOf(events), lengths]).toEqual([text, [16_383, 16_384, 7234]]);
  expect(events.every((event) => 'text' in event && event.text.isWellFormed())).toBe(true);
});

test('emits the latest progress of an interval after the text, and nothing after the end', () => {
  const events: RunEvent[] = [];
  const live = liveRun((event) => events.push(event), secretRedactor(['hush-8Jq2Lm5Rt7Wz']).pieces);
  live.add('log', Buffer.from('::progress 1/3 one\n::progress 2/3 hush-8Jq2Lm5Rt7Wz\nworking\n::progress 3'));
  live.end();
  live.add('log', Buffer.from(''));
  live.end();
  expect(events).toEqual<RunEvent[]>([
    { kind: 'log', text: 'working\n' },
    progress(2, 3, '*'.repeat(17)),
    progress(3, undefined, undefined),
  ]);
});

test('holds output for an observer that gets a reader later, and none of it beyond 256 KiB', () => {
  vi.useFakeTimers();
  try {
    const read = (kibBefore: number) => {
      const events: RunEvent[] = [];
      let start = (): void => undefined;
      const onEvent = Object.assign((event: RunEvent) => events.push(event), {
        whenRead(begin: () => void) {
          start = begin;
        },
      });
      const live = liveRun(onEvent, secretRedactor(['open-8Jq2Lm5Rt7Wz']).pieces);
      live.add('log', Buffer.from('it is open-'));
      for (let kib = 0; kib < kibBefore; kib += 1) live.add('log', Buffer.alloc(1024, 'x'));
      vi.runAllTimers();
      expect(events).toEqual([]);
      start();
      const before = textOf(events).length;
      live.add('log', Buffer.from('8Jq2Lm5Rt7Wz\n'));
      live.end();
      return [before > 0, textOf(events)];
    };
    expect(read(0)).toEqual([false, `it is ${'*'.repeat(17)}\n`]);
    expect(read(255)).toEqual([true, `it is open-${'x'.repeat(255 * 1024)}8Jq2Lm5Rt7Wz\n`]);
    expect(read(256)).toEqual([false, '']);
  } finally {
    vi.useRealTimers();
  }
});

function cutOff(written: Uint8Array): Uint8Array {
  const { take, cut } = redactor.pieces();
  return Buffer.concat([take(written), cut()]);
}

function base64InLines(secret: string): string {
  return Buffer.from(`${'?'.repeat(30)}${secret}`)
    .toString('base64')
    .replace(/.{40}/g, '$&\n');
}

function progress(done: number, total: number | undefined, message: string | undefined): Progress {
  return { kind: 'progress', done, total, message };
}

function textOf(events: readonly RunEvent[]): string {
  return events.map((event) => ('text' in event ? event.text : '')).join('');
}

function cutAt(bytesOf: Uint8Array, at: readonly number[]): Uint8Array[] {
  const places = [0, ...at.map((place) => Math.min(place, bytesOf.length)), bytesOf.length].sort(
    (a, b) => a - b,
  );
  return places.slice(1).map((end, index) => bytesOf.subarray(places[index], end));
}
