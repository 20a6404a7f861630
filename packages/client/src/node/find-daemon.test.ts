// Threat model: T245

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type AnnouncedDaemon, ownAnnouncement } from './announced-daemon.ts';
import { findDaemon } from './find-daemon.ts';

const url = 'http://127.0.0.1:7433';
const key = 'k'.repeat(40);
const isLinux = process.platform === 'linux';

test('sends the key to the process that announced itself', async () => {
  const own = await ownAnnouncement({ url });
  expect(own).toEqual({ pid: process.pid, url, ...(isLinux && { started: expect.stringMatching(/^\d+$/) }) });
  expect(await findDaemon({ dataDir: announcing(own), environment: {} })).toEqual({ url, key });
});

test('sends the key to a living process whose start time the system did not tell', async () => {
  const dataDir = announcing({ pid: process.pid, url });
  expect(await findDaemon({ dataDir, environment: {} })).toEqual({ url, key });
});

test('does not send the key to a later process with the same id', async () => {
  const dataDir = announcing({ ...(await ownAnnouncement({ url })), started: '1' });
  await expect(findDaemon({ dataDir, environment: {} })).rejects.toMatchObject(noDaemon(dataDir));
});

test.runIf(isLinux)('does not send the key to a daemon that has ended and was not reaped', async () => {
  // A process that never waits for its children leaves one unreaped.
  const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const pid = Number((await once(parent.stdout, 'data'))[0]);
  const stat = (id?: number) => readFileSync(`/proc/${id}/stat`, 'utf8');
  await vi.waitUntil(() => stat(parent.pid).includes('(sleep)'));
  process.kill(pid, 'SIGKILL');
  await vi.waitUntil(() => stat(pid).includes(') Z '));
  const started = stat(pid).split(') ')[1]?.split(' ')[19] ?? '';
  const dataDir = announcing({ pid, started, url });
  await expect(findDaemon({ dataDir, environment: {} })).rejects.toMatchObject(noDaemon(dataDir));
});

test.runIf(process.geteuid?.() === 0)('does not send the key to a process of another user', async () => {
  const [theirs, ours] = [announcing({ pid: process.pid, url }), announcing({ pid: 0, url })];
  const script = `
    import { chmodSync, writeFileSync } from 'node:fs';
    import { findDaemon } from ${JSON.stringify(join(import.meta.dirname, 'find-daemon.ts'))};
    process.setuid(65534);
    const found = (dataDir) => findDaemon({ dataDir, environment: {}, key: 'k' }).then(({ url }) => url, ({ code }) => code);
    const theirs = await found(${JSON.stringify(theirs)});
    writeFileSync(${JSON.stringify(join(ours, 'daemon.json'))}, JSON.stringify({ pid: process.pid, url: ${JSON.stringify(url)} }));
    console.log(JSON.stringify([theirs, await found(${JSON.stringify(ours)})]));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  expect(JSON.parse(stdout)).toEqual(['UNREACHABLE', url]);
});

/** A data directory with this announcement, open to every user. */
function announcing(announced: AnnouncedDaemon): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'ambit-client-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  chmodSync(dataDir, 0o755);
  writeFileSync(join(dataDir, 'daemon.json'), JSON.stringify(announced));
  chmodSync(join(dataDir, 'daemon.json'), 0o666);
  writeFileSync(join(dataDir, 'key'), key, { mode: 0o600 });
  return dataDir;
}

function noDaemon(dataDir: string): object {
  return {
    code: 'UNREACHABLE',
    message: `no daemon is running for the data directory ${dataDir}: start one with "ambit serve --data-dir ${dataDir}", or set url (AMBIT_URL)`,
  };
}
