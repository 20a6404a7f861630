// Threat model: T42

import { execFileSync, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repository } from '../../support/daemon-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

/** Whether the tools of systemd are installed. */
describe.skipIf(!hasSystemd).each([
  ['ambit.service', 'ambit.service'],
  ['ambit@.service', 'ambit@a.service'],
])('the systemd unit %s', (name, installed) => {
  test('loads in systemd without warnings', async () => {
    const folder = await temporaryFolder();
    const file = join(folder, installed);
    await writeFile(file, (await unit(name)).replaceAll('/usr/bin/ambit ', `${process.execPath} `));
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], {
      encoding: 'utf8',
    });
    // It also prints warnings about other units of this machine.
    const said = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('ambit'));
    expect({ status, said }).toEqual({ status: 0, said: [] });
  });

  test('is exposed no more than its sandboxes need', async () => {
    const file = join(await temporaryFolder(), installed);
    await writeFile(file, await unit(name));
    const report = execFileSync('systemd-analyze', ['security', '--offline=yes', '--no-pager', file], {
      encoding: 'utf8',
    });
    expect(Number(/exposure level for ambit[@a]*\.service: ([\d.]+)/.exec(report)?.[1])).toBeLessThanOrEqual(
      4,
    );
  });
});

test('the systemd unit has no setting that prevents sandboxes', async () => {
  const settings = (await unit()).split('\n').filter((line) => /^[A-Z]/.test(line));
  const harmful =
    /^(RestrictNamespaces|ProtectKernelTunables|ProtectKernelLogs|ProcSubset|ProtectHostname|ProtectControlGroups|MemoryDenyWriteExecute)=/;
  expect(settings.filter((line) => harmful.test(line))).toEqual([]);
  expect(settings).toContain('Delegate=memory pids cpu');
});

test('the systemd unit names no file for systemd to read as root in a folder that the daemon can write', async () => {
  const values = async (setting: RegExp): Promise<string[]> =>
    (await unit()).split('\n').flatMap((line) => setting.exec(line)?.[1] ?? []);
  expect({
    written: await values(/^ReadWritePaths=(.*)$/),
    read: await values(/^#?(?:EnvironmentFile=-|LoadCredential=[\w-]+:)(.*)$/),
  }).toEqual({ written: ['/etc/ambit'], read: ['/etc/default/ambit', '/etc/ssl/private/ambit.pem'] });
});

test('the seccomp profile of containers allows the same families of sockets as the systemd unit', async () => {
  const families: Record<string, number> = { AF_UNIX: 1, AF_INET: 2, AF_INET6: 10, AF_NETLINK: 16 };
  const [, names = ''] = /^RestrictAddressFamilies=(.*)$/m.exec(await unit()) ?? [];
  const profile = JSON.parse(await readFile(join(repository, 'packaging/seccomp.json'), 'utf8'));
  const rules = profile.syscalls.filter(({ names: calls }: { names: string[] }) =>
    calls.some((call) => call.startsWith('socket') && call !== 'socketpair'),
  );
  expect(rules).toEqual(
    names.split(' ').map((name) => ({
      names: ['socket'],
      action: 'SCMP_ACT_ALLOW',
      args: [{ index: 0, value: families[name], op: 'SCMP_CMP_EQ' }],
    })),
  );
});

test('the systemd unit for several nodes differs from the one for a daemon only in the names of its instance', async () => {
  const settings = (text: string): string[] => text.split('\n').filter((line) => /^[A-Z[]/.test(line));
  const own = (await unit('ambit@.service'))
    .replaceAll(/, as node %i|-%i/g, '')
    .replaceAll('/etc/ambit/%i/', '/etc/ambit/')
    .replace('/etc/ambit/%i\n', '/etc/ambit\n');
  expect(settings(own)).toEqual(settings(await unit()));
});

function unit(name = 'ambit.service'): Promise<string> {
  return readFile(join(repository, 'packaging/systemd', name), 'utf8');
}
