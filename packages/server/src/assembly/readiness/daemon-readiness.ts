import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { SkillError } from '@ambit/core';
import { probeSandbox, type WasmExecutor } from '@ambit/runtime';
import type { OpenAuditLog } from '../../audit/open-audit-log.ts';
import type { Readiness } from '../../http/app-deps.ts';
import type { Machine } from '../machine.ts';
import { type ReadinessCheck, readiness } from './readiness.ts';

/** Those that a call needs. */
export interface DaemonNeeds {
  log: Pick<OpenAuditLog, 'requireWritable' | 'room'>;
  machine: Pick<Machine, 'process' | 'processStatus'>;
  wasm: Pick<WasmExecutor, 'check'>;
  dataDir: string;
}

/** To raise walls takes a processor some milliseconds, and anybody can ask. */
const wallsFreshMs = 10_000;

/**
 * Whether a daemon takes calls: the thread that writes its log is there and has its file, the disk takes more, the sandbox
 * that worked at the start still does, and WASM hosts can be started. A sandbox that did not work then is not asked about:
 * the daemon was started without one.
 */
export function daemonReadiness({ log, machine, wasm, dataDir }: DaemonNeeds): () => Promise<Readiness> {
  const sandbox: ReadinessCheck = {
    check: () => requireWalls(machine.process),
    code: 'SANDBOX_UNAVAILABLE',
    freshMs: wallsFreshMs,
  };
  return readiness({
    audit: { check: log.requireWritable, code: 'AUDIT_UNAVAILABLE', freshMs: 0 },
    disk: { check: () => roomIn(dataDir, log), code: 'AUDIT_UNAVAILABLE', freshMs: 0 },
    ...(machine.processStatus.works ? { sandbox } : {}),
    wasm: { check: wasm.check, code: 'SANDBOX_UNAVAILABLE', freshMs: wallsFreshMs },
  });
}

async function requireWalls(sandbox: Machine['process']): Promise<void> {
  const status = await probeSandbox(sandbox);
  if (!status.works) throw new SkillError('SANDBOX_UNAVAILABLE', status.detail);
}

/** With too little room calls are refused; before that it is low. */
async function roomIn(folder: string, log: DaemonNeeds['log']): Promise<'ok' | 'low'> {
  await access(folder, constants.W_OK);
  // A log that cannot be asked is the other check's.
  const room = await log.room().catch(() => 'enough');
  if (room === 'short') throw new SkillError('AUDIT_UNAVAILABLE', `${folder} has too little room`);
  return room === 'low' ? 'low' : 'ok';
}
