import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { SkillError } from '@ambit/core';
import { probeSandbox, type WasmExecutor } from '@ambit/runtime';
import type { OpenAuditLog } from '../audit/open-audit-log.ts';
import type { Readiness } from '../http/route/app-deps.ts';
import type { Machine } from '../setup/machine.ts';
import { type ReadinessCheck, readiness } from './readiness.ts';

/** The parts that calls need. */
export interface DaemonNeeds {
  log: Pick<OpenAuditLog, 'requireWritable' | 'room'>;
  machine: Pick<Machine, 'process' | 'processStatus'>;
  wasm: Pick<WasmExecutor, 'check'>;
  dataDir: string;
}

/** Creating a sandbox takes some milliseconds of processor time, and anyone can request it. */
const sandboxFreshMs = 10_000;

/**
 * Whether a daemon accepts calls: its log is writable, the disk has space, the sandbox still works, and WASM hosts start. A
 * sandbox that did not work at the start is not checked.
 */
export function daemonReadiness({ log, machine, wasm, dataDir }: DaemonNeeds): () => Promise<Readiness> {
  const sandbox: ReadinessCheck = {
    check: () => requireSandbox(machine.process),
    code: 'SANDBOX_UNAVAILABLE',
    freshMs: sandboxFreshMs,
  };
  return readiness({
    audit: { check: log.requireWritable, code: 'AUDIT_UNAVAILABLE', freshMs: 0 },
    disk: { check: () => roomIn(dataDir, log), code: 'AUDIT_UNAVAILABLE', freshMs: 0 },
    ...(machine.processStatus.works ? { sandbox } : {}),
    wasm: { check: wasm.check, code: 'SANDBOX_UNAVAILABLE', freshMs: sandboxFreshMs },
  });
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
