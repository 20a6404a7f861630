import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type {
  AuditEvent,
  AuditLog,
  AuditQuery,
  CallFinished,
  CallRecord,
  CallStarted,
} from '../../packages/core/src/audit.ts';
import type { SkillErrorCode } from '../../packages/core/src/index.ts';
import { noCapabilities } from '../../packages/core/src/policy.ts';
import {
  started as begun,
  finished as ended,
  rejection as rejected,
} from '../../packages/server/src/audit/testing/audit-files.ts';

type AtEnd = (end: () => Promise<void>) => void;

/** The contract of every `AuditLog`. `open` creates an empty one, and registers what is to be done after it is closed. */
export function auditLogContract(name: string, open: (atEnd: AtEnd) => AuditLog | Promise<AuditLog>): void {
  const emptyLog = async (): Promise<AuditLog> => {
    const log = await open(onTestFinished);
    onTestFinished(() => log.close());
    return log;
  };

  describe(`the audit log ${name}`, () => {
    test('numbers the events in the order in which they were written, from 1', async () => {
      const log = await emptyLog();
      const positions: unknown[] = [];
      for (const event of [started('a'), started('b'), finished('a'), rejected('c')]) {
        positions.push(await log.append(event));
      }
      const position = (sequence: number) => ({
        sequence,
        hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      });
      expect(positions).toEqual([1, 2, 3, 4].map(position));
    });

    test('joins the events of a call into its record', async () => {
      const log = await emptyLog();
      await append(log, started('a'), finished('a'));
      expect(await log.query({ limit: 10 })).toEqual({ records: [finishedRecord('a')], next: null });
    });

    test('shows why a call was canceled if its event has the reason', async () => {
      const log = await emptyLog();
      const reason = 'the client went away';
      const canceled = Object.assign(finished('a', 'canceled'), { reason });
      await append(log, started('a'), canceled, started('b'), finished('b', 'canceled'));
      expect(await log.query({ limit: 10 })).toEqual({
        records: [
          { ...finishedRecord('b', 3), outcome: 'canceled' },
          { ...finishedRecord('a'), outcome: 'canceled', reason },
        ],
        next: null,
      });
    });

    test('shows a call that has not ended as running', async () => {
      const log = await emptyLog();
      await append(log, started('a'));
      expect(await log.query({ limit: 10 })).toEqual({ records: [runningRecord('a')], next: null });
    });

    test('shows a refused call with its code and every denial', async () => {
      const log = await emptyLog();
      const denied = [
        { capability: 'network' as const, requested: 'a.example', reason: 'no grant', remedy: 'grants: …' },
      ];
      await append(log, started('a'), {
        kind: 'call.denied',
        executionId: 'a',
        time: 2000,
        code: 'CAPABILITY_DENIED',
        message: 'no',
        denied,
      });
      const record: CallRecord = {
        ...runningRecord('a'),
        endedAt: iso(2000),
        capabilities: { requested: noCapabilities, granted: null, denied },
        outcome: 'denied',
        error: { code: 'CAPABILITY_DENIED', message: 'no' },
      };
      expect(await log.query({ limit: 10 })).toEqual({ records: [record], next: null });
    });

    test.each(['request.denied', 'auth.rejected'] as const)(
      'shows a refusal before routing (%s) as started and ended at the same time',
      async (kind) => {
        const log = await emptyLog();
        await append(log, { ...rejected('a'), kind });
        expect(await log.query({ limit: 10 })).toEqual({ records: [rejectedRecord('a')], next: null });
      },
    );

    test('returns every character unchanged', async () => {
      const log = await emptyLog();
      const message = 'quote " backslash \\ newline \n NUL \0 snowman ☃ emoji 🦊 ümlaut';
      await append(log, { ...rejected('a'), message });
      const { records } = await log.query({ limit: 1 });
      expect(records[0]?.error).toEqual({ code: 'UNAUTHENTICATED', message });
    });

    test('is unaffected by later changes to an appended object', async () => {
      const log = await emptyLog();
      const event = rejected('a');
      await append(log, event);
      event.message = 'changed';
      expect(await log.query({ limit: 10 })).toEqual({ records: [rejectedRecord('a')], next: null });
    });

    test('marks open records as interrupted, once, and no others', async () => {
      const log = await emptyLog();
      await append(log, started('a'), started('b'), finished('a'), started('c'), rejected('d'));
      expect(await log.interruptOpen(9000)).toBe(2);
      expect(await log.interruptOpen(9500)).toBe(0);
      const interrupted = { endedAt: iso(9000), outcome: 'interrupted' as const };
      expect(await log.query({ limit: 10 })).toEqual({
        records: [
          rejectedRecord('d', 5),
          { ...runningRecord('c', 4), ...interrupted },
          { ...runningRecord('b', 2), ...interrupted },
          finishedRecord('a', 1),
        ],
        next: null,
      });
    });

    test('shows the newest call first, regardless of which ended last', async () => {
      const log = await emptyLog();
      await append(
        log,
        started('a'),
        started('b'),
        started('c'),
        finished('b'),
        finished('c'),
        finished('a'),
      );
      expect(await ids(log, { limit: 10 })).toEqual({ shown: ['c', 'b', 'a'], next: null });
    });

    test('preserves the order of writing when the clock goes backwards', async () => {
      const log = await emptyLog();
      const at = (id: string, time: number): AuditEvent => ({ ...rejected(id), time });
      await append(log, at('a', 5000), at('b', 3000), at('c', 4000));
      expect(await ids(log, { limit: 10 })).toEqual({ shown: ['c', 'b', 'a'], next: null });
      expect((await log.events(1, 10)).map(({ sequence, event }) => [sequence, event.time])).toEqual([
        [1, 5000],
        [2, 3000],
        [3, 4000],
      ]);
    });

    test('has stable pages while calls start and end', async () => {
      const log = await emptyLog();
      await append(log, ...['a', 'b', 'c', 'd', 'e'].map((id) => started(id)));
      expect(await ids(log, { limit: 2 })).toEqual({ shown: ['e', 'd'], next: 4 });
      await append(log, started('f'), finished('b'), finished('e'));
      expect(await ids(log, { limit: 2, before: 4 })).toEqual({ shown: ['c', 'b'], next: 2 });
      expect(await ids(log, { limit: 2, before: 2 })).toEqual({ shown: ['a'], next: null });
      expect(await ids(log, { limit: 2, before: 1 })).toEqual({ shown: [], next: null });
    });

    test('has no next page when the last record just fits', async () => {
      const log = await emptyLog();
      await append(log, started('a'), started('b'));
      expect(await ids(log, { limit: 2 })).toEqual({ shown: ['b', 'a'], next: null });
    });

    test('shows the steps of one chain, with the chain in each record, and no other calls', async () => {
      const log = await emptyLog();
      const link = (id: string, parentId: string) => ({ ...started(id), parentId }) as AuditEvent;
      await append(log, link('a', 'p'), started('b'), link('c', 'q'), link('d', 'p'));
      const { records, next } = await log.query({ parentId: 'p', limit: 10 });
      expect(records.map(({ executionId, parentId }) => ({ executionId, parentId }))).toEqual([
        { executionId: 'd', parentId: 'p' },
        { executionId: 'a', parentId: 'p' },
      ]);
      expect(next).toBe(null);
      expect(await ids(log, { parentId: 'p', skill: 'other', limit: 10 })).toEqual({ shown: [], next: null });
      expect(await ids(log, { parentId: 'p', limit: 1 })).toEqual({ shown: ['d'], next: 4 });
    });

    describe('filters', () => {
      const events = [
        started('a', 'csv'),
        finished('a', 'succeeded'),
        started('b', 'diff'),
        finished('b', 'timed-out'),
        started('c', 'csv'),
        finished('c', 'timed-out'),
        rejected('d'),
        started('e', 'csv'),
        started('f', 'diff'),
        {
          kind: 'call.denied',
          executionId: 'f',
          time: 2000,
          code: 'INPUT_INVALID',
          message: 'no',
          denied: [],
        },
        started('g', 'diff'),
        finished('g', 'succeeded'),
      ] satisfies AuditEvent[];
      let log: AuditLog;
      beforeAll(async () => {
        const ends: (() => Promise<void>)[] = [];
        log = await open((end) => void ends.unshift(end));
        await append(log, ...events);
        return async () => {
          await log.close();
          for (const end of ends) await end();
        };
      });

      test.each<[string, AuditQuery, string[], number | null]>([
        ['by skill', { skill: 'csv', limit: 10 }, ['e', 'c', 'a'], null],
        ['by skill, in pages', { skill: 'csv', limit: 2 }, ['e', 'c'], 5],
        ['by skill, on the next page', { skill: 'csv', limit: 2, before: 5 }, ['a'], null],
        ['by an unknown skill', { skill: 'csv-profile', limit: 10 }, [], null],
        ['by outcome', { outcome: 'timed-out', limit: 10 }, ['c', 'b'], null],
        ['by outcome, in pages', { outcome: 'succeeded', limit: 1 }, ['g'], 11],
        ['by outcome, on the next page', { outcome: 'succeeded', limit: 1, before: 11 }, ['a'], null],
        ['by refusal, including before routing', { outcome: 'denied', limit: 10 }, ['f', 'd'], null],
        ['by running', { outcome: 'running', limit: 10 }, ['e'], null],
        ['by running and skill', { outcome: 'running', skill: 'csv', limit: 10 }, ['e'], null],
        [
          'by running and a skill without such calls',
          { outcome: 'running', skill: 'diff', limit: 10 },
          [],
          null,
        ],
        ['by skill and outcome', { skill: 'diff', outcome: 'succeeded', limit: 10 }, ['g'], null],
        ['by id', { executionId: 'c', limit: 10 }, ['c'], null],
        [
          'by id, if the rest matches',
          { executionId: 'c', skill: 'csv', outcome: 'timed-out', limit: 1 },
          ['c'],
          null,
        ],
        ['by id and another skill', { executionId: 'c', skill: 'diff', limit: 10 }, [], null],
        ['by id and another outcome', { executionId: 'c', outcome: 'succeeded', limit: 10 }, [], null],
        ['by an unknown id', { executionId: 'z', limit: 10 }, [], null],
      ])('filters the calls %s', async (_, query, shown, next) => {
        expect(await ids(log, query)).toEqual({ shown, next });
      });
    });

    test('starts and ends an execution only once', async () => {
      const log = await emptyLog();
      await append(log, started('a'), finished('a'), rejected('b'), started('c'));
      for (const event of [
        started('a'),
        started('b'),
        started('c'),
        rejected('c'),
        finished('a'),
        finished('b'),
        finished('z'),
      ]) {
        await refuses(log.append(event), 'INTERNAL');
      }
      expect(await log.append(finished('c'))).toMatchObject({ sequence: 5 });
    });

    test('refuses everything after close, which may be called twice', async () => {
      const log = await emptyLog();
      await append(log, started('a'));
      await log.close();
      await log.close();
      await refuses(log.append(finished('a')), 'AUDIT_UNAVAILABLE');
      await refuses(log.interruptOpen(1), 'AUDIT_UNAVAILABLE');
      await refuses(log.query({ limit: 1 }), 'AUDIT_UNAVAILABLE');
    });
  });
}

async function refuses(written: Promise<unknown>, code: SkillErrorCode): Promise<void> {
  await expect(written).rejects.toMatchObject({ name: 'SkillError', code });
}

async function append(log: AuditLog, ...events: AuditEvent[]): Promise<void> {
  for (const event of events) await log.append(event);
}

async function ids(log: AuditLog, query: AuditQuery): Promise<{ shown: string[]; next: number | null }> {
  const { records, next } = await log.query(query);
  return { shown: records.map(({ executionId }) => executionId), next };
}

const skillOf = (id: string) => ({ id, version: '1.0.0', digest: 'sha256:d', tier: 'local' as const });
const input = { digest: 'sha256:i', bytes: 2 };

function started(executionId: string, skill = 'csv'): CallStarted {
  return begun(executionId, { actor: 'default', skill: skillOf(skill), input });
}

function finished(executionId: string, outcome: CallFinished['outcome'] = 'succeeded'): CallFinished {
  return ended(executionId, { outcome, sandbox: 'bubblewrap', output: { digest: 'sha256:o', bytes: 3 } });
}

function runningRecord(executionId: string, sequence = 1): CallRecord {
  return {
    sequence,
    executionId,
    via: 'http',
    actor: 'default',
    startedAt: iso(1000),
    endedAt: null,
    skill: skillOf('csv'),
    policyDigest: 'sha256:p',
    capabilities: { requested: noCapabilities, granted: null, denied: [] },
    connections: [],
    limits: null,
    sandbox: null,
    input,
    output: null,
    stored: {},
    outcome: 'running',
    failure: null,
    usage: null,
    error: null,
    request: null,
  };
}

function finishedRecord(executionId: string, sequence = 1): CallRecord {
  const { limits, sandbox, output, outcome, usage, used } = finished(executionId);
  return {
    ...runningRecord(executionId, sequence),
    endedAt: iso(2000),
    capabilities: { requested: noCapabilities, granted: noCapabilities, denied: [] },
    limits,
    sandbox,
    output,
    outcome,
    usage,
    used,
  };
}

function rejectedRecord(executionId: string, sequence = 1): CallRecord {
  return {
    ...runningRecord(executionId, sequence),
    actor: null,
    endedAt: iso(1000),
    skill: null,
    policyDigest: null,
    capabilities: { requested: null, granted: null, denied: [] },
    input: null,
    outcome: 'denied',
    error: { code: 'UNAUTHENTICATED', message: 'no key' },
    request: 'GET /skills',
  };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
