import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { SkillError } from '@ambit/core';
import { probeSandbox, type WasmExecutor } from '@ambit/runtime';
import type { OpenAuditLog } from '../audit/open-audit-log.ts';
import type { Cluster } from '../cluster/open-cluster.ts';
import type { Readiness } from '../http/route/app-deps.ts';
import type { Machine } from '../setup/machine.ts';
import type { Store } from '../store/store.ts';
import { type ReadinessCheck, readiness } from './readiness.ts';

/** The parts that calls need. */
export interface DaemonNeeds {
  log: Pick<OpenAuditLog, 'requireWritable' | 'room' | 'shipping'>;
  machine: Pick<Machine, 'process' | 'processStatus' | 'probedAtMs'>;
  wasm: Pick<WasmExecutor, 'check'>;
  store: Pick<Store, 'run'>;
  dataDir: string;
  /** Absent without a cluster. */
  cluster?: Pick<Cluster, 'requireLease' | 'requirePolicy' | 'unreachable'> | undefined;
}

/** Creating a sandbox takes some milliseconds of processor time, and anyone can request it. */
const sandboxFreshMs = 10_000;
const storeFreshMs = 5000;

/**
 * Whether a daemon accepts calls: its log is writable, the disk has space, the sandbox still works, and WASM hosts start. It also checks the store, without
 * which only some calls are refused. A
 * sandbox that did not work at the start is not checked.
 */
export function daemonReadiness({
  log,
  machine,
  wasm,
  store,
  dataDir,
  cluster,
}: DaemonNeeds): () => Promise<Readiness> {
  const sandbox: ReadinessCheck = {
    check: () => requireSandbox(machine.process),
    code: 'SANDBOX_UNAVAILABLE',
    freshMs: sandboxFreshMs,
    workedAtMs: machine.probedAtMs,
  };
  return readiness({
    audit: { check: log.requireWritable, code: 'AUDIT_UNAVAILABLE', freshMs: 0 },
    disk: { check: () => roomIn(dataDir, log), code: 'AUDIT_UNAVAILABLE', freshMs: 0 },
    sandbox: machine.processStatus.works ? sandbox : undefined,
    store: { check: () => store.run('probe'), code: 'STORE_UNAVAILABLE', freshMs: storeFreshMs },
    ...clusterChecks(cluster, log),
    wasm: { check: wasm.check, code: 'SANDBOX_UNAVAILABLE', freshMs: sandboxFreshMs },
  });
}

function clusterChecks(
  cluster: DaemonNeeds['cluster'],
  log: DaemonNeeds['log'],
): Readonly<Record<string, ReadinessCheck>> {
  if (cluster === undefined) return {};
  return {
    lease: { check: async () => cluster.requireLease(), code: 'LEASE_LOST', freshMs: 0 },
    shipping: {
      check: async () => log.shipping?.requireProgress(),
      code: 'AUDIT_UNAVAILABLE',
      freshMs: 0,
    },
    // Requests about the calls of other nodes fail. Calls run.
    peers: {
      check: async () => (cluster.unreachable().length > 0 ? 'low' : 'ok'),
      code: 'LEASE_LOST',
      freshMs: 0,
    },
    policy: { check: async () => cluster.requirePolicy(), code: 'LEASE_LOST', freshMs: 0 },
  };
}

async function requireSandbox(sandbox: Machine['process']): Promise<void> {
  const status = await probeSandbox(sandbox);
  if (!status.works) throw new SkillError('SANDBOX_UNAVAILABLE', status.detail);
}

/** Rejects if there is too little space for calls. `low` is a warning before that. */
async function roomIn(folder: string, log: DaemonNeeds['log']): Promise<'ok' | 'low'> {
  await access(folder, constants.W_OK);
  // The audit check reports an unusable log.
  const room = await log.room().catch(() => 'enough');
  if (room === 'short') throw new SkillError('AUDIT_UNAVAILABLE', `too little free space in ${folder}`);
  return room === 'low' ? 'low' : 'ok';
}
