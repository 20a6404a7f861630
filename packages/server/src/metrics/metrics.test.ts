// Threat model: T320, T322

import { join } from 'node:path';
import type { AuditEvent } from '@ambit/core/audit';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { ending, finished, started, usage } from '../audit/testing/audit-files.ts';
import { daemonParts } from './daemon-parts.ts';
import { metrics } from './metrics.ts';

const begun = (executionId: string, skill: string, isKnown = true): AuditEvent =>
  started(executionId, {
    actor: 'a-person',
    skill: isKnown ? { id: skill, version: null, digest: 'sha256:d', tier: 'local' } : { id: skill },
  });

const ended = (executionId: string): AuditEvent =>
  finished(executionId, {
    usage: { ...usage(30), queueMs: 4 },
    denied: [{ capability: 'network', requested: 'a.example', reason: 'no', remedy: 'none' }],
  });

/** The lines of Ambit's own metrics, without buckets, and without refusals and redactions that are zero. */
async function shown(measured: ReturnType<typeof metrics>, accept?: string): Promise<string[]> {
  const { body } = await measured.scrape(accept);
  return body
    .split('\n')
    .filter((line) => /^ambit_(?!build|part_up)/.test(line) && !line.includes('_bucket{'))
    .filter(
      (line) => !/^ambit_(?:keys_refused|refusals|redactions|guessing_suspected)_total.* 0$/.test(line),
    );
}

describe('calls are counted from their records', () => {
  test('by skill, entry point and outcome, with their run and queue times and denials', async () => {
    const measured = metrics({ version: '1.0.0' });
    const { onRecorded } = measured.calls;
    for (const event of [begun('e1', 'csv-profile'), ended('e1')]) onRecorded(event);
    expect(await shown(measured)).toEqual([
      'ambit_calls_total{skill="csv-profile",via="http",outcome="succeeded"} 1',
      'ambit_denials_total{capability="network"} 1',
      'ambit_call_run_seconds_sum{skill="csv-profile"} 0.03',
      'ambit_call_run_seconds_count{skill="csv-profile"} 1',
      'ambit_call_queue_seconds_sum 0.004',
      'ambit_call_queue_seconds_count 1',
      'ambit_audit_append_failures_total 0',
    ]);
  });

  test('refusals are counted by entry point and code', async () => {
    const measured = metrics({ version: '1.0.0' });
    const { onRecorded } = measured.calls;
    const request = { time: 1, via: 'mcp', actor: null, message: 'm', request: 'GET /x' } as const;
    onRecorded(begun('e1', 'csv-profile'));
    onRecorded(ending('e1'));
    onRecorded({ ...request, kind: 'auth.rejected', executionId: 'e2', code: 'UNAUTHENTICATED' });
    onRecorded({ ...request, kind: 'request.denied', executionId: 'e3', code: 'ROUTE_NOT_FOUND' });
    expect((await shown(measured)).filter((line) => line.startsWith('ambit_refusals'))).toEqual([
      'ambit_refusals_total{via="http",code="CAPABILITY_DENIED"} 1',
      'ambit_refusals_total{via="mcp",code="UNAUTHENTICATED"} 1',
      'ambit_refusals_total{via="mcp",code="ROUTE_NOT_FOUND"} 1',
    ]);
  });

  test('a call whose record cannot be written is not counted, and the failure of the log is', async () => {
    const measured = metrics({ version: '1.0.0' });
    measured.calls.onFailed(begun('e1', 'csv-profile'));
    expect(await shown(measured)).toEqual([
      'ambit_call_queue_seconds_sum 0',
      'ambit_call_queue_seconds_count 0',
      'ambit_audit_append_failures_total 1',
    ]);
  });
});

test('unknown skill names create no series, and no more than five hundred skills do', async () => {
  const measured = metrics({ version: '1.0.0' });
  const { onRecorded } = measured.calls;
  const call = (id: string, skill: string, isKnown: boolean) => {
    onRecorded(begun(id, skill, isKnown));
    onRecorded(ended(id));
  };
  for (let n = 0; n < 510; n++) call(`k${n}`, `skill-${n}`, true);
  for (let n = 0; n < 20; n++) call(`u${n}`, `made-up-${n}`, false);
  const labels = (await shown(measured))
    .filter((line) => line.startsWith('ambit_calls_total'))
    .map((line) => line.replace(/^.*skill="([^"]*)".* (\d+)$/, '$1 $2'));
  expect([labels.length, ...labels.slice(-2)]).toEqual([502, '_other 10', '_unknown 20']);
});

test('labels contain no caller, id or input', async () => {
  const measured = metrics({ version: '1.0.0' });
  const { onRecorded } = measured.calls;
  for (const event of [begun('e1', 'csv-profile'), ended('e1')]) onRecorded(event);
  const { body } = await measured.scrape(undefined);
  expect(/a-person|e1"|a\.example|sha256/.exec(body)).toBeNull();
});

test('requests are counted by route pattern, and while they are in progress', async () => {
  const measured = metrics({ version: '1.0.0' });
  measured.requests.began('GET /skills')({ status: 200, seconds: 0.25 });
  measured.requests.began(undefined)({ status: 404, seconds: 0.5 });
  measured.requests.began('GET /audit/follow');
  expect((await shown(measured)).filter((line) => line.startsWith('ambit_http'))).toEqual([
    'ambit_http_request_seconds_sum{route="GET /skills",status="200"} 0.25',
    'ambit_http_request_seconds_count{route="GET /skills",status="200"} 1',
    'ambit_http_request_seconds_sum{route="_none",status="404"} 0.5',
    'ambit_http_request_seconds_count{route="_none",status="404"} 1',
    'ambit_http_requests_open{route="GET /skills"} 0',
    'ambit_http_requests_open{route="_none"} 0',
    'ambit_http_requests_open{route="GET /audit/follow"} 1',
  ]);
});

test('rejected keys are counted by reason, and accepted keys are not', async () => {
  const measured = metrics({ version: '1.0.0' });
  const rights = { actor: 'a' } as never;
  const judge = measured.countedKeys((header) =>
    header === undefined ? { status: 'missing' } : { status: 'accepted', rights },
  );
  expect([judge(undefined), judge('good')]).toEqual([{ status: 'missing' }, { status: 'accepted', rights }]);
  expect((await shown(measured)).filter((line) => line.startsWith('ambit_keys'))).toEqual([
    'ambit_keys_refused_total{reason="missing"} 1',
  ]);
});

describe('components are read at each scrape', () => {
  const part = (name: string, read: () => Promise<Record<string, number>>) => ({
    name,
    read,
    metrics: { [`ambit_${name}`]: 'A sentence.' },
  });

  test('a component that fails or hangs is left out, reported as down, and delays no other', async () => {
    const measured = metrics({ version: '1.0.0', partMs: 20 });
    let asked = 0;
    measured.read([
      part('well', async () => ({ ambit_well: 7 })),
      part('failing', () => Promise.reject(new Error('no'))),
      part('hanging', () => {
        asked += 1;
        return new Promise(() => undefined);
      }),
    ]);
    await measured.scrape(undefined);
    const { body } = await measured.scrape(undefined);
    expect(body.split('\n').filter((line) => /^ambit_(part_up|well|failing|hanging)/.test(line))).toEqual([
      'ambit_part_up{part="build"} 1',
      'ambit_part_up{part="well"} 1',
      'ambit_part_up{part="failing"} 0',
      'ambit_part_up{part="hanging"} 0',
      'ambit_well 7',
    ]);
    // The second scrape waits for the read of the first one.
    expect(asked).toBe(1);
  });

  test('their current values are shown', async () => {
    const measured = metrics({ version: '1.0.0' });
    const folder = await temporaryFolder({
      'audit.db': 'x'.repeat(100),
      'audit.db-wal': 'x'.repeat(20),
    });
    const file = (name: string) => join(folder, name);
    const load = { running: 1, waiting: 2 };
    let sequence = 10;
    measured.read(
      daemonParts({
        queue: () => load,
        memory: () => ({ share: 8, reserved: 5, idle: 2 }),
        hosts: () => ({ hosts: 3, idle: 2, waiting: 0, started: 5, lost: 1 }),
        prewarmed: () => ({ waiting: 4, starting: 1 }),
        workspaces: () => ({ workspaces: 2, bytes: 9, waiting: 1 }),
        store: () => ({ open: 4, idle: 3, waiting: 0 }),
        log: {
          progress: () => ({ pending: 0, sequence, checkpoint: { sequence: 8, time: 1_500 } }),
          indexedThrough: async () => 9,
        },
        files: { log: file('audit.db'), index: file('audit-index.db'), folder },
      }),
    );
    await measured.scrape(undefined);
    sequence = 12;
    const lines = await shown(measured);
    expect(lines.filter((line) => !/_free_|_seconds_(sum|count)|append_failures/.test(line))).toEqual([
      'ambit_calls_running 1',
      'ambit_calls_waiting 2',
      'ambit_memory_share_bytes 8',
      'ambit_memory_reserved_bytes 5',
      'ambit_memory_idle_bytes 2',
      'ambit_wasm_hosts 3',
      'ambit_wasm_hosts_idle 2',
      'ambit_wasm_calls_waiting 0',
      'ambit_wasm_host_starts_total 5',
      'ambit_wasm_host_losses_total 1',
      'ambit_prewarmed_programs 4',
      'ambit_prewarmed_programs_starting 1',
      'ambit_workspaces 2',
      'ambit_workspace_bytes 9',
      'ambit_workspace_calls_waiting 1',
      'ambit_store_connections 4',
      'ambit_store_connections_idle 3',
      'ambit_store_operations_waiting 0',
      'ambit_audit_events_waiting 0',
      'ambit_audit_last_sequence 12',
      'ambit_audit_events_unsigned 4',
      'ambit_audit_checkpoint_timestamp_seconds 1.5',
      'ambit_audit_index_behind_events 3',
      'ambit_audit_log_bytes 120',
      'ambit_audit_reserve_bytes 20',
      'ambit_audit_index_bytes 0',
    ]);
  });
});
