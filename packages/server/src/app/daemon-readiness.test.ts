import { execFileSync } from 'node:child_process';
import { chmod, copyFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { bubblewrapSandbox, wasmExecutor } from '@ambit/runtime';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { openAuditLog } from '../audit/open-audit-log.ts';
import { skillState } from '../store/skill-state.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import { type DaemonNeeds, daemonReadiness } from './daemon-readiness.ts';

const well = { audit: 'ok', disk: 'ok', sandbox: 'ok', store: 'ok', wasm: 'ok' };

/** The real parts that a call needs, with its own bubblewrap. `ask` checks again without cached results. */
async function world() {
  const dataDir = await temporaryFolder();
  const programs = await temporaryFolder();
  // If root starts it, another user runs it.
  await chmod(programs, 0o755);
  const bubblewrap = join(programs, 'bwrap');
  await copyFile(execFileSync('sh', ['-c', 'command -v bwrap']).toString().trim(), bubblewrap);
  const log = await openAuditLog({ file: join(dataDir, 'audit.db') });
  const process = bubblewrapSandbox({ file: bubblewrap });
  const store = openSqliteStore(join(dataDir, 'store.db'));
  const wasm = wasmExecutor({ sandbox: process, state: skillState(store) });
  onTestFinished(async () => {
    await wasm.close?.();
    await store.close();
    await log.close();
    await process.close?.();
  });
  const needs: DaemonNeeds = {
    log,
    machine: { process, processStatus: { works: true }, probedAtMs: Number.NEGATIVE_INFINITY },
    wasm,
    store,
    dataDir,
  };
  const ask = (changed: Partial<DaemonNeeds> = {}) => daemonReadiness({ ...needs, ...changed })();
  return { ask, needs, dataDir, bubblewrap };
}

test('reports each part that calls need and that does not work, and is well when it works again', async () => {
  const { ask, needs, dataDir, bubblewrap } = await world();
  const moved = async (file: string): Promise<unknown> => {
    await rename(file, `${file}.away`);
    const answer = await ask();
    await rename(`${file}.away`, file);
    return answer;
  };
  expect(await moved(bubblewrap)).toEqual({
    ...well,
    sandbox: 'SANDBOX_UNAVAILABLE',
    wasm: 'SANDBOX_UNAVAILABLE',
  });
  expect(await moved(join(dataDir, 'audit.db'))).toEqual({ ...well, audit: 'AUDIT_UNAVAILABLE' });
  const machine = { ...needs.machine, processStatus: { works: false, detail: 'none' } } as const;
  // It started without a sandbox.
  expect(await ask({ machine })).toEqual({ audit: 'ok', disk: 'ok', store: 'ok', wasm: 'ok' });
  const store = openSqliteStore(join(await temporaryFolder(), 'store.db'));
  await store.close();
  expect(await ask({ store })).toEqual({ ...well, store: 'STORE_UNAVAILABLE' });
  const asked = async (warnFreeBytes: number, minFreeBytes: number, isOpen = true) => {
    const space = { warnFreeBytes, minFreeBytes, reserveBytes: 0 };
    const log = await openAuditLog({ file: join(await temporaryFolder(), 'audit.db'), space });
    onTestFinished(() => log.close());
    if (!isOpen) await log.close();
    return ask({ log });
  };
  const most = Number.MAX_SAFE_INTEGER;
  expect(await asked(0, 0, false)).toEqual({ ...well, audit: 'AUDIT_UNAVAILABLE' });
  expect(await asked(most, 0)).toEqual({ ...well, disk: 'low' });
  expect(await asked(most, most)).toEqual({ ...well, disk: 'AUDIT_UNAVAILABLE' });
  expect(await ask({ dataDir: join(dataDir, 'gone') })).toEqual({ ...well, disk: 'AUDIT_UNAVAILABLE' });
  expect(await ask()).toEqual(well);
});
