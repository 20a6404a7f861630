// Events gained fields over time. A log with older events is read and verified like any other.
import { join } from 'node:path';
import {
  type CallFinished,
  type CallStarted,
  type EgressConnection,
  noCapabilities,
  usedNothing,
} from '@ambit/core/internal';
import { expect, test } from 'vitest';
import { readAuditLog } from './index/read-audit-log.ts';
import { openAuditLog } from './open-audit-log.ts';
import { temporaryFolder } from './testing/audit-files.ts';
import { verifyLog } from './verify/verify-log.ts';

const started = (executionId: string): CallStarted => ({
  ...{ kind: 'call.started', executionId, time: 1000, via: 'http', actor: 'key', policyDigest: 'sha256:p' },
  skill: { id: 's', version: null, digest: 'sha256:d', tier: 'local' },
  ...{ requested: noCapabilities, input: { digest: 'sha256:i', bytes: 2 } },
});

/** As written before `denied`, `connections`, `used` and `limits.fileBytes` existed. */
const finished = (executionId: string): CallFinished => ({
  ...{ kind: 'call.finished', executionId, time: 2000, granted: noCapabilities, sandbox: 'none' },
  limits: { timeoutMs: 1, memoryBytes: 2, cpuMs: 3, processes: 4, outputBytes: 5, fuel: null },
  ...{ outcome: 'succeeded', failure: null, output: null },
  usage: { durationMs: 1, queueMs: 0, cpuMs: null, memoryPeakBytes: null, fuelConsumed: null },
});

test('a record from before `used` and `hostCalls` existed lacks them, is listed with newer ones, and verifies', async () => {
  const file = join(temporaryFolder(), 'audit.db');
  const log = await openAuditLog({ file });
  const connection: EgressConnection = {
    ...{ host: 'api.example', port: 443, method: 'GET', path: '/', bytesUp: 1, bytesDown: 2 },
    ...{ rule: 'api.example', at: 1500, durationMs: 2.5, status: 200, secrets: ['TOKEN'] },
    decision: 'allowed',
  };
  const hostCalls = {
    listed: [{ name: 'state_get', at: 1501, durationMs: 1, result: 'returned' as const }],
    unlisted: 0,
  };
  const used = { ...usedNothing, network: [{ item: 'api.example:443', count: 2 }] };
  await log.append(started('older'));
  await log.append(finished('older'));
  await log.append(started('newer'));
  await log.append({ ...finished('newer'), used, connections: [connection], hostCalls });
  await log.close();
  const reader = await readAuditLog({ file });
  const { records } = await reader.query({ limit: 10 });
  await reader.close();
  const absent = { used: 'absent', hostCalls: 'absent' };
  expect(
    records.map(({ executionId, connections, ...record }) => {
      const { used: uses, hostCalls: called } = { ...absent, ...record };
      return [executionId, connections, uses, called];
    }),
  ).toEqual([
    ['newer', [connection], used, hostCalls],
    ['older', [], 'absent', 'absent'],
  ]);
  expect(await verifyLog({ file })).toMatchObject({ intact: true, events: 4, indexedThrough: 4 });
});

test('a record from when `via` was `door` is found by its entry point, and verifies', async () => {
  const file = join(temporaryFolder(), 'audit.db');
  const log = await openAuditLog({ file });
  const { via, ...others } = started('older');
  await log.append({ ...others, door: via } as never);
  await log.append(finished('older'));
  await log.append({ ...started('other'), via: 'mcp' });
  await log.append(finished('other'));
  await log.close();
  const reader = await readAuditLog({ file });
  const { records } = await reader.query({ via: 'http', limit: 10 });
  await reader.close();
  expect(records.map((record) => [record.executionId, record.via])).toEqual([['older', 'http']]);
  expect(await verifyLog({ file })).toMatchObject({ intact: true, events: 4, indexedThrough: 4 });
});
