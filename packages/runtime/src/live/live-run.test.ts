import type { Progress, RunEvent } from '@ambit/core/internal';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { secretRedactor } from '../egress/secrets/secret-redactor.ts';
import { type LiveKind, liveRun } from './live-run.ts';
import { logText } from './progress-lines.ts';

// Put together here, so that nobody who looks for secrets in the sources finds these.
const secrets = ['sesame-', 'ab', 'aab', '=ö=&/', 'two\nlines'].map((value) => `${value}${value}`);
const redactor = secretRedactor(secrets);

/** Text that is full of secrets, halves of them, progress and halves of that. */
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
  'whatever %s holds and however it is cut, what is told of it joined is what is kept of it in the end',
  async (kind) => {
    vi.useFakeTimers();
    try {
      await fc.assert(
        fc.asyncProperty(bytes, cuts, cuts, fc.boolean(), async (written, at, pauses, wasCut) => {
          const told: RunEvent[] = [];
          const live = liveRun((event) => told.push(event), redactor.pieces);
          for (const [index, piece] of cutAt(written, at).entries()) {
            live.add(kind, piece);
            if (pauses.includes(index)) vi.runAllTimers();
          }
          live.end(wasCut);
          const redacted = wasCut ? redactor.pieces().take(written) : redactor.bytes(written);
          const decoded = new TextDecoder().decode(redacted, { stream: wasCut });
          const kept = kind === 'stdout' ? decoded : redactor.text(await logText(redacted, wasCut));
          expect(textOf(told)).toBe(kept);
          for (const secret of secrets) expect(textOf(told)).not.toContain(secret);
        }),
        { numRuns: 2000 },
      );
    } finally {
      vi.useRealTimers();
    }
  },
);

test('a secret in two pieces is redacted, and what stands before it is told without waiting for its end', () => {
  vi.useFakeTimers();
  try {
    const told: RunEvent[] = [];
    const live = liveRun((event) => told.push(event), secretRedactor(['open-sesame']).pieces);
    live.add('log', Buffer.from('it is open-'));
    vi.runAllTimers();
    expect(told).toEqual([{ kind: 'log', text: 'it is ' }]);
    live.add('log', Buffer.from('sesame\n'));
    live.end();
    expect(textOf(told)).toBe('it is ***********\n');
    const untold: RunEvent[] = [];
    const plain = liveRun((event) => untold.push(event), secretRedactor([]).pieces);
    plain.add('log', Buffer.from('it is open-'));
    vi.runAllTimers();
    expect(untold).toEqual([{ kind: 'log', text: 'it is open-' }]);
  } finally {
    vi.useRealTimers();
  }
});

test('a secret that a line of progress stood in the middle of is redacted, told and kept', async () => {
  const several = secretRedactor(['one\ntwo']);
  const written = Buffer.from('it is one\n::progress 1/2 of it\ntwo, or one\nthree\n');
  for (const cut of [0, 8, 12, 30, 36]) {
    const told: RunEvent[] = [];
    const live = liveRun((event) => told.push(event), several.pieces);
    live.add('stderr', written.subarray(0, cut));
    live.add('stderr', written.subarray(cut));
    live.end();
    expect(textOf(told)).toBe('it is *******, or one\nthree\n');
  }
  expect(several.text(await logText(several.bytes(written)))).toBe('it is *******, or one\nthree\n');
});

test('a flood of bytes is told in few events, the first of them at once', () => {
  vi.useFakeTimers();
  try {
    const told: RunEvent[] = [];
    const live = liveRun((event) => told.push(event), secretRedactor([]).pieces);
    live.add('stderr', Buffer.from('x'));
    vi.advanceTimersByTime(1);
    expect(told).toHaveLength(1);
    for (let time = 0; time < 1000; time++) {
      for (let write = 0; write < 100; write++) live.add('stderr', Buffer.from('x'));
      vi.advanceTimersByTime(1);
    }
    live.end();
    expect(textOf(told)).toBe('x'.repeat(100_001));
    expect(told.length).toBeLessThanOrEqual(22);
  } finally {
    vi.useRealTimers();
  }
});

test('what comes faster than it is told is told before its time, so that it does not pile up', () => {
  vi.useFakeTimers();
  try {
    const told: RunEvent[] = [];
    const live = liveRun((event) => told.push(event));
    for (let piece = 0; piece < 9; piece++) live.add('stderr', Buffer.alloc(64 * 1024, 'x'));
    // Of 512 KiB in all; the rest waits for its time.
    expect(textOf(told).length).toBe(5 * 64 * 1024);
    live.end();
    expect(textOf(told).length).toBe(9 * 64 * 1024);
  } finally {
    vi.useRealTimers();
  }
});

test('a long text is told in pieces of at most 16,384 characters, none of which ends within a character', () => {
  const told: RunEvent[] = [];
  const live = liveRun((event) => told.push(event));
  const text = `x${'😀'.repeat(20_000)}`;
  live.add('stdout', Buffer.from(text));
  live.end();
  const lengths = told.map((event) => ('text' in event ? event.text.length : 0));
  expect([textOf(told), lengths]).toEqual([text, [16_383, 16_384, 7234]]);
  expect(told.every((event) => 'text' in event && event.text.isWellFormed())).toBe(true);
});

test('of the progress within a tick the latest is told, after the text, and nothing after the end', () => {
  const told: RunEvent[] = [];
  const live = liveRun((event) => told.push(event), secretRedactor(['hush-hush']).pieces);
  live.add('log', Buffer.from('::progress 1/3 one\n::progress 2/3 hush-hush\nworking\n::progress 3'));
  live.end();
  live.add('log', Buffer.from(''));
  live.end();
  expect(told).toEqual<RunEvent[]>([
    { kind: 'log', text: 'working\n' },
    progress(2, 3, '*********'),
    progress(3, undefined, undefined),
  ]);
});

function base64InLines(secret: string): string {
  return Buffer.from(`${'?'.repeat(30)}${secret}`)
    .toString('base64')
    .replace(/.{40}/g, '$&\n');
}

function progress(done: number, total: number | undefined, message: string | undefined): Progress {
  return { kind: 'progress', done, total, message };
}

function textOf(told: readonly RunEvent[]): string {
  return told.map((event) => ('text' in event ? event.text : '')).join('');
}

function cutAt(bytesOf: Uint8Array, at: readonly number[]): Uint8Array[] {
  const places = [0, ...at.map((place) => Math.min(place, bytesOf.length)), bytesOf.length].sort(
    (a, b) => a - b,
  );
  return places.slice(1).map((end, index) => bytesOf.subarray(places[index], end));
}
