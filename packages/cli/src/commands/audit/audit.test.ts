import type { AuditQuery, CallRecord } from '@ambit/core/audit';
import { describe, expect, test } from 'vitest';
import { runAmbit } from '../../testing/run-ambit.ts';

const ran: CallRecord = {
  sequence: 3,
  executionId: 'e-3',
  via: 'http',
  actor: 'key',
  startedAt: '2026-01-02T03:04:05.000Z',
  endedAt: '2026-01-02T03:04:05.040Z',
  skill: { id: 'csv-profile', version: '1.0.0', digest: 'sha256:1', tier: 'local' },
  policyDigest: 'sha256:2',
  capabilities: { requested: null, granted: null, denied: [] },
  connections: [],
  limits: null,
  sandbox: 'bubblewrap',
  input: null,
  output: null,
  stored: {},
  outcome: 'succeeded',
  failure: null,
  usage: { durationMs: 39.6, queueMs: 0, cpuMs: null, memoryPeakBytes: null, fuelConsumed: null },
  error: null,
  request: null,
};
const failed: CallRecord = {
  ...ran,
  sequence: 4,
  executionId: 'e-4',
  outcome: 'failed',
  failure: { exitCode: 2 },
};
const violated: CallRecord = {
  ...ran,
  sequence: 5,
  executionId: 'e-5',
  outcome: 'capability-violated',
  capabilities: {
    requested: null,
    granted: null,
    denied: [{ capability: 'filesystem.read', requested: '/etc/passwd', reason: 'r', remedy: 'r' }],
  },
};
const denied: CallRecord = {
  ...ran,
  sequence: 10,
  executionId: 'e-10',
  via: 'cli',
  outcome: 'denied',
  usage: null,
  error: { code: 'CAPABILITY_DENIED', message: 'no' },
};
const stranger: CallRecord = {
  ...denied,
  sequence: 12,
  via: 'http',
  skill: null,
  error: { code: 'UNAUTHENTICATED', message: 'no' },
  request: 'GET /skills',
};

/** A log with these records that stores the queries it gets. */
async function audit(line: string, records: CallRecord[], next: number | null = null) {
  const queries: unknown[] = [];
  const page = async (query: unknown) => {
    queries.push(query);
    return { records, next };
  };
  return { ...(await runAmbit(line, { client: { audit: { page } } })), queries };
}

test('prints one line per call, newest first, with what it lacked, why it ended or its execution id', async () => {
  const unexplained = { ...violated, capabilities: ran.capabilities };
  const canceled: CallRecord = { ...ran, outcome: 'canceled' };
  const told = { ...canceled, reason: 'the client went away' };
  const records = [stranger, denied, violated, unexplained, failed, told, canceled, ran];
  expect(await audit('audit --limit 8', records, 2)).toEqual({
    exitCode: 0,
    stderr: '',
    queries: [{ limit: 8 }],
    stdout: `SEQUENCE  STARTED                   VIA   OUTCOME              TOOK   SKILL        DETAIL
12        2026-01-02T03:04:05.000Z  http  denied               -      GET /skills  UNAUTHENTICATED
10        2026-01-02T03:04:05.000Z  cli   denied               -      csv-profile  CAPABILITY_DENIED
5         2026-01-02T03:04:05.000Z  http  capability-violated  40 ms  csv-profile  filesystem.read /etc/passwd
5         2026-01-02T03:04:05.000Z  http  capability-violated  40 ms  csv-profile  e-5
4         2026-01-02T03:04:05.000Z  http  failed               40 ms  csv-profile  exitCode 2
3         2026-01-02T03:04:05.000Z  http  canceled             40 ms  csv-profile  the client went away
3         2026-01-02T03:04:05.000Z  http  canceled             40 ms  csv-profile  e-3
3         2026-01-02T03:04:05.000Z  http  succeeded            40 ms  csv-profile  e-3
There are older calls: raise --limit.
`,
  });
});

test('reports when no call matches', async () => {
  expect(await audit('audit', [])).toMatchObject({
    exitCode: 0,
    stdout: 'No matching calls.\n',
  });
});

test('explains a filter that no call can match', async () => {
  expect((await audit('audit --denied net', [])).stderr).toMatch(
    /^--denied net is not a capability; capabilities: .*network.*\n$/,
  );
  expect((await audit('audit --actor first', [])).stderr).toBe(
    'In the log, the first key is the actor "key".\n',
  );
  expect((await audit('audit --denied network', [])).stderr).toBe('');
});

describe('flags become the query', () => {
  test.each<[string, AuditQuery]>([
    ['audit --skill a --outcome timed-out --limit 5', { skill: 'a', outcome: 'timed-out', limit: 5 }],
    ['audit --outcome denied', { outcome: 'denied', limit: 20 }],
    ['audit --limit 100', { limit: 100 }],
  ])('%s', async (line, query) => {
    expect((await audit(line, [])).queries).toEqual([query]);
  });
});

test('a limit beyond the largest page is read in pages', async () => {
  const queries: unknown[] = [];
  const page = async (query: { limit?: number; before?: number | undefined } = {}) => {
    queries.push(query);
    const { limit = 0, before = 1000 } = query;
    return { records: Array.from({ length: limit }, () => ran), next: before - limit };
  };
  const { stdout } = await runAmbit('audit --limit 300 --json', { client: { audit: { page } } });
  expect(queries).toEqual([{ limit: 200 }, { limit: 100, before: 800 }]);
  expect(JSON.parse(stdout)).toMatchObject({ records: { length: 300 }, next: 700 });
});
