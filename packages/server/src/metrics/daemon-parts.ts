import { stat, statfs } from 'node:fs/promises';
import type { QueueLoad, WorkspacesLoad } from '@ambit/core/internal';
import type { HostPoolLoad, PrewarmedLoad } from '@ambit/runtime';
import type { LogProgress } from '../audit/open-audit-log.ts';
import type { Part } from './part-gauges.ts';

/** Those of a daemon that can say how they are doing. */
export interface DaemonSources {
  queue(): QueueLoad;
  hosts(): HostPoolLoad;
  prewarmed(): PrewarmedLoad;
  workspaces(): WorkspacesLoad;
  log: { progress(): LogProgress; indexedThrough(): Promise<number> };
  files: { log: string; index: string; folder: string };
}

/** What each of them tells. */
export function daemonParts(sources: DaemonSources): readonly Part[] {
  const { queue, hosts, prewarmed, workspaces, log, files } = sources;
  return [
    {
      name: 'queue',
      metrics: {
        ambit_calls_running: 'Calls that have a place to run in.',
        ambit_calls_waiting: 'Calls that wait for one.',
      },
      read() {
        const { running, waiting } = queue();
        return { ambit_calls_running: running, ambit_calls_waiting: waiting };
      },
    },
    {
      name: 'wasm',
      metrics: {
        ambit_wasm_hosts: 'Host processes of WASM skills that live or are being started.',
        ambit_wasm_hosts_idle: 'Host processes of WASM skills that wait for a call.',
        ambit_wasm_calls_waiting: 'Calls that wait for a host process.',
        ambit_wasm_host_starts_total: 'Host processes that were started.',
        ambit_wasm_host_losses_total:
          'Host processes that did not survive a call, or ended while they waited.',
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
        ambit_prewarmed_programs: 'Prewarmed programs that wait for a call.',
        ambit_prewarmed_programs_starting: 'Programs that are being started to wait for one.',
      },
      read() {
        const { waiting, starting } = prewarmed();
        return { ambit_prewarmed_programs: waiting, ambit_prewarmed_programs_starting: starting };
      },
    },
    {
      name: 'workspaces',
      metrics: {
        ambit_workspaces: 'Workspaces that live across calls.',
        ambit_workspace_bytes: 'What is in them.',
        ambit_workspace_turns_waiting: 'Calls and changes of files that wait for one.',
      },
      read() {
        const load = workspaces();
        return {
          ambit_workspaces: load.workspaces,
          ambit_workspace_bytes: load.bytes,
          ambit_workspace_turns_waiting: load.waiting,
        };
      },
    },
    {
      name: 'audit-log',
      metrics: {
        ambit_audit_events_waiting: 'Events that are not durable yet.',
        ambit_audit_last_sequence: 'The last event that is durable.',
        ambit_audit_events_unsigned: 'Events after the last checkpoint; absent before the first one.',
        ambit_audit_checkpoint_timestamp_seconds:
          'When the last checkpoint was signed; absent before the first one.',
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
        ambit_audit_index_behind_events: 'Durable events that the index does not have yet.',
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
      name: 'disk',
      metrics: {
        ambit_audit_log_bytes: 'Size of the audit log with its write-ahead log.',
        ambit_audit_reserve_bytes:
          'Bytes allocated ahead for the last events of calls that run when the disk is full.',
        ambit_audit_index_bytes: 'Size of the index beside it.',
        ambit_data_free_bytes: 'What is free where the data directory lies.',
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

/** A database with its write-ahead log; what is not there has no size. */
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
