import { execFileSync } from 'node:child_process';
import { chmod, copyFile, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bubblewrapSandbox, wasmExecutor } from '@ambit/runtime';
import { expect, onTestFinished, test } from 'vitest';
import { openAuditLog } from '../audit/open-audit-log.ts';
import { skillState } from '../store/skill-state.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import { type DaemonNeeds, daemonReadiness } from './daemon-readiness.ts';

const well = { audit: 'ok', disk: 'ok', sandbox: 'ok', store: 'ok', wasm: 'ok' };

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ambit-ready-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

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

test('refuses calls without bubblewrap, which the sandbox and the WASM hosts need', async () => {
  const { ask, bubblewrap } = await world();
  await rename(bubblewrap, `${bubblewrap}.away`);
  expect(await ask()).toEqual({ ...well, sandbox: 'SANDBOX_UNAVAILABLE', wasm: 'SANDBOX_UNAVAILABLE' });
  await rename(`${bubblewrap}.away`, bubblewrap);
  expect(await ask()).toEqual(well);
});

test('is ready without a sandbox if the daemon started without one', async () => {
  const { ask, needs } = await world();
  const machine = {
    ...needs.machine,
    processStatus: { works: false, detail: 'none' },
  } as const;
  expect(await ask({ machine })).toEqual({ audit: 'ok', disk: 'ok', store: 'ok', wasm: 'ok' });
});

test('reports a closed store', async () => {
  const { ask } = await world();
  const store = openSqliteStore(join(await temporaryFolder(), 'store.db'));
  await store.close();
  expect(await ask({ store })).toEqual({ ...well, store: 'STORE_UNAVAILABLE' });
});

test('is not ready while the log file is moved away', async () => {
  const { ask, dataDir } = await world();
  const [file, away] = [join(dataDir, 'audit.db'), join(dataDir, 'away')];
  await rename(file, away);
  expect(await ask()).toEqual({ ...well, audit: 'AUDIT_UNAVAILABLE' });
  await rename(away, file);
  expect(await ask()).toEqual(well);
});

test("is not ready after the log's thread has ended", async () => {
  const { ask, needs } = await world();
  const file = join(await temporaryFolder(), 'audit.db');
  const log = await openAuditLog({ file });
  await log.close();
  expect([await ask({ log }), await ask({ log: needs.log })]).toEqual([
    { ...well, audit: 'AUDIT_UNAVAILABLE' },
    well,
  ]);
});

test('reports a nearly full disk as low, and is not ready on a full disk or without the folder', async () => {
  const { ask, dataDir } = await world();
  const most = Number.MAX_SAFE_INTEGER;
  const asked = async (warnFreeBytes: number, minFreeBytes: number) => {
    const space = { warnFreeBytes, minFreeBytes, reserveBytes: 0 };
    const log = await openAuditLog({ file: join(await temporaryFolder(), 'audit.db'), space });
    onTestFinished(() => log.close());
    return ask({ log });
  };
  expect(await asked(0, 0)).toEqual(well);
  expect(await asked(most, 0)).toEqual({ ...well, disk: 'low' });
  expect(await asked(most, most)).toEqual({ ...well, disk: 'AUDIT_UNAVAILABLE' });
  expect(await ask({ dataDir: join(dataDir, 'gone') })).toEqual({ ...well, disk: 'AUDIT_UNAVAILABLE' });
});
