import { stat, statfs } from 'node:fs/promises';
import type { MemoryLoad, QueueLoad } from '@ambit/core/execute';
import type { WorkspacesLoad } from '@ambit/core/workspace';
import type { HostPoolLoad, PrewarmedLoad } from '@ambit/runtime';
import type { LogProgress } from '../audit/open-audit-log.ts';
import type { Part } from './part-gauges.ts';

/** The components of a daemon that have metrics. */
export interface DaemonSources {
  queue(): QueueLoad;
  memory(): MemoryLoad;
  hosts(): HostPoolLoad;
  prewarmed(): PrewarmedLoad;
  workspaces(): WorkspacesLoad;
  /** `undefined` without a pool. */
  store(): { open: number; idle: number; waiting: number } | undefined;
  log: { progress(): LogProgress; indexedThrough(): Promise<number> };
  files: { log: string; index: string; folder: string };
}

/** The metrics of each component. */
export function daemonParts(sources: DaemonSources): readonly Part[] {
  const { queue, memory, hosts, prewarmed, workspaces, store, log, files } = sources;
  return [
    {
      name: 'queue',
      metrics: {
        ambit_calls_running: 'Calls that are running.',
        ambit_calls_waiting: 'Calls in the queue.',
      },
      read() {
        const { running, waiting } = queue();
        return { ambit_calls_running: running, ambit_calls_waiting: waiting };
      },
    },
    {
      name: 'memory',
      metrics: {
        ambit_memory_share_bytes: 'Memory that all runs share.',
        ambit_memory_reserved_bytes: 'Memory that running calls reserve.',
        ambit_memory_idle_bytes: 'Memory that prewarmed programs and idle host processes hold.',
      },
      read() {
        const { share, reserved, idle } = memory();
        return {
          ambit_memory_share_bytes: share,
          ambit_memory_reserved_bytes: reserved,
          ambit_memory_idle_bytes: idle,
        };
      },
    },
    {
      name: 'wasm',
      metrics: {
        ambit_wasm_hosts: 'Host processes of WASM skills, including starting ones.',
        ambit_wasm_hosts_idle: 'Idle host processes of WASM skills.',
        ambit_wasm_calls_waiting: 'Calls that wait for a host process.',
        ambit_wasm_host_starts_total: 'Host processes started.',
        ambit_wasm_host_losses_total: 'Host processes that ended during a call or while idle.',
      },
      read() {
        const load = hosts();
        return {
          ambit_wasm_hosts: load.hosts,
          ambit_wasm_hosts_idle: load.idle,
          ambit_wasm_calls_waiting: load.waiting,
          ambit_wasm_host_starts_total: load.started,
          ambit_wasm_host_losses_total: load.lost,
        };
      },
    },
    {
      name: 'prewarmed',
      metrics: {
        ambit_prewarmed_programs: 'Prewarmed programs that are ready for a call.',
        ambit_prewarmed_programs_starting: 'Prewarmed programs that are starting.',
      },
      read() {
        const { waiting, starting } = prewarmed();
        return { ambit_prewarmed_programs: waiting, ambit_prewarmed_programs_starting: starting };
      },
    },
    {
      name: 'workspaces',
      metrics: {
        ambit_workspaces: 'Workspaces that persist across calls.',
        ambit_workspace_bytes: 'Bytes stored in workspaces.',
        ambit_workspace_calls_waiting: 'Calls and file changes that wait for a workspace.',
      },
      read() {
        const load = workspaces();
        return {
          ambit_workspaces: load.workspaces,
          ambit_workspace_bytes: load.bytes,
          ambit_workspace_calls_waiting: load.waiting,
        };
      },
    },
    {
      name: 'store',
      metrics: {
        ambit_store_connections: 'Connections to PostgreSQL; absent with SQLite.',
        ambit_store_connections_idle: 'Idle connections to PostgreSQL; absent with SQLite.',
        ambit_store_operations_waiting: 'Operations that wait for a connection; absent with SQLite.',
      },
      read() {
        const load = store();
        return {
          ambit_store_connections: load?.open,
          ambit_store_connections_idle: load?.idle,
          ambit_store_operations_waiting: load?.waiting,
        };
      },
    },
    {
      name: 'audit-log',
      metrics: {
        ambit_audit_events_waiting: 'Audit events that are not durable yet.',
        ambit_audit_last_sequence: 'Sequence number of the last durable audit event.',
        ambit_audit_events_unsigned: 'Audit events after the last checkpoint; absent before the first one.',
        ambit_audit_checkpoint_timestamp_seconds: 'Time of the last checkpoint; absent before the first one.',
      },
      read() {
        const { pending, sequence, checkpoint } = log.progress();
        return {
          ambit_audit_events_waiting: pending,
          ambit_audit_last_sequence: sequence,
          ambit_audit_events_unsigned: checkpoint && (sequence ?? 0) - checkpoint.sequence,
          ambit_audit_checkpoint_timestamp_seconds: checkpoint && checkpoint.time / 1000,
        };
      },
    },
    {
      name: 'audit-index',
      metrics: {
        ambit_audit_index_behind_events: 'Durable audit events that are not indexed yet.',
      },
      async read() {
        const through = await log.indexedThrough();
        const { sequence } = log.progress();
        return {
          ambit_audit_index_behind_events:
            sequence === undefined ? undefined : Math.max(0, sequence - through),
        };
      },
    },
    {
      name: 'audit-shipping',
      metrics: {
        ambit_audit_unshipped_events:
          'Durable audit events that are not in the database of the cluster yet; absent without a cluster.',
        ambit_audit_shipping_lag_seconds:
          'Age of the oldest audit event that is not in the database of the cluster; absent without a cluster.',
        ambit_audit_shipped_batches_total:
          'Batches of audit events sent to the database of the cluster; absent without a cluster.',
        ambit_audit_shipping_failures_total:
          'Failed attempts to send audit events to the database of the cluster; absent without a cluster.',
      },
      read() {
        const { sequence, shipping } = log.progress();
        return {
          ambit_audit_unshipped_events: shipping && Math.max(0, (sequence ?? 0) - (shipping.through ?? 0)),
          ambit_audit_shipping_lag_seconds: shipping && shipping.lagMs / 1000,
          ambit_audit_shipped_batches_total: shipping?.batches,
          ambit_audit_shipping_failures_total: shipping?.failures,
        };
      },
    },
    {
      name: 'disk',
      metrics: {
        ambit_audit_log_bytes: 'Size of the audit log, including its write-ahead log.',
        ambit_audit_reserve_bytes:
          'Bytes allocated ahead to record the ends of running calls on a full disk.',
        ambit_audit_index_bytes: 'Size of the index of the audit log.',
        ambit_data_free_bytes: 'Free bytes on the file system of the data directory.',
      },
      async read() {
        const [logBytes, reserveBytes, indexBytes, { bavail, bsize }] = await Promise.all([
          databaseBytes(files.log),
          bytesOf(`${files.log}-wal`),
          databaseBytes(files.index),
          statfs(files.folder),
        ]);
        return {
          ambit_audit_log_bytes: logBytes,
          ambit_audit_reserve_bytes: reserveBytes,
          ambit_audit_index_bytes: indexBytes,
          ambit_data_free_bytes: bavail * bsize,
        };
      },
    },
  ];
}

/** The size of a database with its write-ahead log; 0 for missing files. */
async function databaseBytes(file: string): Promise<number> {
  const sizes = await Promise.all([file, `${file}-wal`].map(bytesOf));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function bytesOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}
