import { execFileSync, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repository } from '../support/daemon-process.ts';
import { temporaryFolder } from './support/daemon.ts';

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

/** Skipped where systemd has not left its tools; the unit is checked wherever it has. */
describe.skipIf(!hasSystemd)('the systemd unit', () => {
  test('is one that systemd reads without a word', async () => {
    const folder = await temporaryFolder();
    const file = join(folder, 'ambit.service');
    await writeFile(file, (await unit()).replaceAll('/usr/bin/node ', `${process.execPath} `));
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], {
      encoding: 'utf8',
    });
    // Of other units of this machine it says something too.
    const said = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('ambit'));
    expect({ status, said }).toEqual({ status: 0, said: [] });
  });

  test('is exposed no more than its sandboxes want', async () => {
    const file = join(repository, 'packaging/systemd/ambit.service');
    const report = execFileSync('systemd-analyze', ['security', '--offline=yes', '--no-pager', file], {
      encoding: 'utf8',
    });
    expect(Number(/exposure level for ambit\.service: ([\d.]+)/.exec(report)?.[1])).toBeLessThanOrEqual(4);
  });
});

test('the systemd unit has nothing that keeps a sandbox from being made', async () => {
  const settings = (await unit()).split('\n').filter((line) => /^[A-Z]/.test(line));
  const harmful =
    /^(RestrictNamespaces|ProtectKernelTunables|ProtectKernelLogs|ProcSubset|ProtectHostname|ProtectControlGroups|MemoryDenyWriteExecute)=/;
  expect(settings.filter((line) => harmful.test(line))).toEqual([]);
  expect(settings).toContain('Delegate=memory pids cpu');
});

function unit(): Promise<string> {
  return readFile(join(repository, 'packaging/systemd/ambit.service'), 'utf8');
}
