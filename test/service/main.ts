/** The Debian package and its service, under a real systemd: `npm run test:all -- service`. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { packDebian } from '../../scripts/pack/debian.mjs';
import { pack } from '../../scripts/pack.mjs';
import { openClaims } from '../support/claims.ts';
import { debianTree } from '../support/debian-tree.ts';
import { withinAMinute } from '../support/within-a-minute.ts';
import { bootMachine, type Machine } from './machine.ts';
import { openService, type Service } from './service.ts';

/** The packages that ours depends on and recommends, and the packages of the test. */
const packages = [
  'bubblewrap',
  'ca-certificates',
  'dbus',
  'libstdc++6',
  'procps',
  'python3',
  'systemd',
  'systemd-sysv',
];

/** As the user of the service. */
const asAmbit = 'runuser -u ambit --';

const { claim, skip, end } = openClaims();
const folder = await mkdtemp(join(tmpdir(), 'ambit-service-'));
let machine: Machine | undefined;
try {
  const [cli = ''] = await pack(join(folder, 'packages'), ['cli']);
  const first = await packDebian(cli);
  const nextVersion = `${basename(first).split('_')[1]}+next`;
  const next = await packDebian(cli, nextVersion);
  const root = join(folder, basename(folder));
  // Not with Node, which cannot copy devices.
  await promisify(execFile)('cp', ['--archive', await debianTree(packages), root]);
  for (const file of [first, next]) await cp(file, join(root, 'root', basename(file)));
  machine = await bootMachine(root, join(folder, 'console.log'));
  const service = await openService(machine);
  await checkInstall(service, basename(first));
  await checkCalls(service);
  await checkReload(service);
  await checkWatchdog(service);
  await checkEnds(service);
  await checkNode(service);
  await checkUpgrade(service, basename(next), nextVersion);
  await checkRemoval(service, basename(next));
} finally {
  await machine?.end();
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = end();

async function checkInstall({ run, attempt, call, property }: Service, file: string): Promise<void> {
  await claim('dpkg -i installs the package and starts the service', async () => {
    await run(`dpkg -i /root/${file}`);
    assert.equal(await property('ActiveState'), 'active');
    assert.equal(await run('systemctl is-enabled ambit'), 'enabled');
  });
  await claim('a start ends when the daemon listens, and it runs as the user ambit', async () => {
    await run(
      'systemctl restart ambit && python3 -c "import socket; socket.create_connection((\'127.0.0.1\', 7433))"',
    );
    assert.equal(await run(`ps -o user= -p ${await property('MainPID')}`), 'ambit');
  });
  await claim('the lines of the daemon are in the journal', async () => {
    await withinAMinute('the journal has them', async () =>
      (await run('journalctl --unit=ambit --no-pager')).includes(
        'Ambit is listening on http://127.0.0.1:7433',
      ),
    );
  });
  await claim('systemd-analyze verify reports nothing', async () => {
    const { code, stdout, stderr } = await attempt('systemd-analyze verify ambit.service ambit@a.service');
    assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: '', stderr: '' });
  });
  for (const unit of ['ambit.service', 'ambit@a.service']) {
    const report = await run(`systemd-analyze security --no-pager ${unit}`);
    console.log(report.split('\n').at(-1));
  }
  await claim('commands of the user ambit install skills, and cannot replace the configuration', async () => {
    await run(`${asAmbit} ambit skills add /srv/others/say-hello`);
    const { review } = JSON.parse(await run(`${asAmbit} ambit skills review say-hello:say-hello --json`));
    await run(`${asAmbit} ambit skills approve say-hello:say-hello --review ${review}`);
    assert.equal((await call('say-hello:say-hello', {})).outcome?.status, 'succeeded');
    assert.match(await run('cat /etc/ambit/ambit.lock'), /say-hello/);
    assert.notEqual((await attempt(`${asAmbit} mv /etc/ambit/ambit.config.yaml /etc/ambit/other`)).code, 0);
  });
}

async function checkCalls({ run, call, configure, property, attempt }: Service): Promise<void> {
  await configure({ skills: [{ path: '/srv/skills', tier: 'local' }] });
  await run('systemctl restart ambit');
  await claim('a WebAssembly skill, a JavaScript skill and a Python skill succeed', async () => {
    const calls = [
      await call('text-redact', { input: { text: 'mail ada@example.org' } }),
      await call('json-query', { input: { query: 'a', document: { a: 1 } } }),
      await call('csv-profile', { input: { csv: 'a,b\n1,2\n' } }),
    ];
    assert.deepEqual(
      calls.map(({ outcome }) => outcome?.status),
      ['succeeded', 'succeeded', 'succeeded'],
    );
  });
  await claim('a program sees neither the key nor the configuration', async () => {
    const { outcome } = await call('read-key', {});
    assert.deepEqual((outcome?.output as { stdout: string } | undefined)?.stdout.split('\n'), [
      'cat: /var/lib/ambit/key: No such file or directory',
      'cat: /etc/ambit/ambit.config.yaml: No such file or directory',
      '',
    ]);
  });
  await claim('a program that exceeds its memory ends, and the daemon continues', async () => {
    const daemon = await property('MainPID');
    const { outcome } = await call('take-memory', { input: {} });
    assert.notEqual(outcome?.status, 'succeeded');
    assert.equal(await property('MainPID'), daemon);
    assert.equal((await call('text-redact', { input: { text: '' } })).outcome?.status, 'succeeded');
  });
  const delegated = 'each run has a cgroup of its own, which ends it at its memory limit';
  const controllers = (await attempt('cat /sys/fs/cgroup/cgroup.controllers')).stdout.split(' ');
  if (['memory', 'pids', 'cpu'].every((each) => controllers.includes(each)))
    await claim(delegated, async () => {
      const { outcome, usage } = await call('take-memory', { input: {} });
      const memoryBytes = 268_435_456;
      assert.deepEqual(outcome, { status: 'out-of-memory', memoryBytes });
      assert.equal((usage as { memoryPeakBytes: number }).memoryPeakBytes, memoryBytes);
    });
  else skip(delegated, 'the kernel has its controllers in cgroup v1, where systemd does not delegate them');
}

async function checkReload({ run, attempt, call, configure, property }: Service): Promise<void> {
  const config = { skills: [{ path: '/srv/skills', tier: 'local' }] };
  await claim('systemctl reload applies a configuration', async () => {
    const daemon = await property('MainPID');
    assert.match(JSON.stringify(await call('read-data', {})), /CAPABILITY_DENIED/);
    await configure({ ...config, grants: { 'read-data': { filesystem: { read: ['/srv/data'] } } } });
    await run('systemctl reload ambit');
    assert.equal((await call('read-data', {})).outcome?.status, 'succeeded');
    assert.equal(await property('MainPID'), daemon);
  });
  await claim(
    'systemctl reload fails with the reason if the configuration is refused, and the daemon continues',
    async () => {
      await configure({ ...config, limits: { concurrency: 'many' } });
      assert.notEqual((await attempt('systemctl reload ambit')).code, 0);
      assert.match(await run('journalctl --unit=ambit --no-pager'), /limits\.concurrency/);
      assert.equal((await call('read-data', {})).outcome?.status, 'succeeded');
    },
  );
  await claim('a start with a refused configuration fails, and is not repeated', async () => {
    assert.notEqual((await attempt('systemctl restart ambit')).code, 0);
    assert.equal(await property('ExecMainStatus'), '2');
    // It would be "activating" if it were to start again.
    assert.equal(await property('ActiveState'), 'failed');
    assert.equal(await property('NRestarts'), '0');
  });
  await configure(config);
  await run('systemctl reset-failed ambit; systemctl start ambit');
}

async function checkWatchdog({ run, property, call, configure }: Service): Promise<void> {
  const dropIn = '/run/systemd/system/ambit.service.d';
  await run(`mkdir ${dropIn} && printf '[Service]\\nWatchdogSec=12\\n' > ${dropIn}/watchdog.conf`);
  await run('systemctl daemon-reload && systemctl restart ambit');
  await claim('the daemon reports to the watchdog of systemd', async () => {
    const reported = (): Promise<string> => property('WatchdogTimestampMonotonic');
    for (const report of ['first', 'second']) {
      const last = await reported();
      await withinAMinute(`the ${report} report`, async () => (await reported()) !== last);
    }
    assert.equal(await property('NRestarts'), '0');
  });
  await claim('a daemon that hangs is killed and started again', async () => {
    const daemon = await property('MainPID');
    await run(`kill -STOP ${daemon}`);
    await withinAMinute('it is started again', async () => (await property('NRestarts')) === '1');
    await withinAMinute('it is ready', async () => (await property('ActiveState')) === 'active');
    assert.notEqual(await property('MainPID'), daemon);
    assert.match(await run('journalctl --unit=ambit --no-pager'), /Watchdog timeout/);
    assert.equal((await call('text-redact', { input: { text: '' } })).outcome?.status, 'succeeded');
  });
  await claim(
    'a skill cannot report to systemd, even with a grant for the folder of its socket',
    async () => {
      const grants = { 'report-state': { filesystem: { read: ['/run/systemd'] } } };
      await configure({ skills: [{ path: '/srv/skills', tier: 'local' }], grants });
      await run('systemctl reload ambit');
      const { outcome } = await call('report-state', { input: {} });
      assert.deepEqual(outcome, { status: 'succeeded', output: 'Address family not supported by protocol' });
      assert.equal(await property('StatusText'), '');
    },
  );
  await run(`rm -r ${dropIn} && systemctl daemon-reload && systemctl restart ambit`);
}

async function checkEnds({ run, property, call }: Service): Promise<void> {
  const verify = `${asAmbit} ambit audit verify`;
  /** Starts a call in the background, and waits until its program runs. */
  const startCall = async (seconds: number): Promise<void> => {
    await run(
      `systemd-run --quiet --unit=call sh -c "call 7433 wait-seconds '{\\"input\\":{\\"seconds\\":${seconds}}}' > /root/answer"`,
    );
    await withinAMinute(
      'the program runs',
      async () => (await run('pgrep --full [s]cripts/run.py | wc -l')) !== '0',
    );
  };
  await claim('a crashed daemon is started again, and the audit log verifies', async () => {
    await startCall(600);
    await run('systemctl kill --kill-whom=main --signal=KILL ambit');
    await withinAMinute('it is started again', async () => (await property('NRestarts')) === '1');
    await withinAMinute('it is ready', async () => (await property('ActiveState')) === 'active');
    assert.match(await run(verify), /The log is intact\./);
    assert.equal(await run(`${asAmbit} ambit audit export | grep --count '"outcome":"interrupted"'`), '1');
    assert.equal(await run('pgrep --full [s]cripts/run.py | wc -l'), '0');
  });
  await claim('a stop waits for a running call', async () => {
    await run('systemctl reset-failed call 2> /dev/null || true');
    await startCall(5);
    await run('systemctl stop ambit');
    assert.equal(await property('Result'), 'success');
    await withinAMinute('the call has an answer', async () => (await run('cat /root/answer')) !== '');
    assert.equal(JSON.parse(await run('cat /root/answer')).outcome.status, 'succeeded');
  });
  await claim('the audit log verifies after a stop', async () => {
    assert.match(await run(verify), /The log is intact\./);
    await run('systemctl start ambit');
    assert.equal((await call('text-redact', { input: { text: '' } })).outcome?.status, 'succeeded');
  });
}

/** The template, as a daemon of its own. */
async function checkNode({ run, property, call }: Service): Promise<void> {
  await claim('ambit@a runs beside the service, with its own configuration and data', async () => {
    await run(
      'mkdir -m 1775 /etc/ambit/a && chgrp ambit /etc/ambit/a && echo "listen: { port: 7441 }" > /etc/ambit/a/ambit.config.yaml',
    );
    await run('systemctl start ambit@a');
    assert.equal(await property('ActiveState', 'ambit@a'), 'active');
    assert.equal(
      (await call('csv-profile', { input: { csv: 'a\n1\n' } }, 7441)).outcome?.status,
      'succeeded',
    );
    assert.equal((await call('text-redact', { input: { text: '' } })).outcome?.status, 'succeeded');
  });
}

async function checkUpgrade({ run, property, call }: Service, file: string, version: string): Promise<void> {
  const count = async (): Promise<number> => Number(await run(`${asAmbit} ambit audit export | wc -l`));
  await claim('an upgrade keeps the data and the configuration, and starts again what ran', async () => {
    const [events, key, config] = [
      await count(),
      await run('cat /var/lib/ambit/key'),
      await run('cat /etc/ambit/*.yaml'),
    ];
    await run(`dpkg -i /root/${file}`);
    assert.equal(await run('dpkg-query --show ambit'), `ambit\t${version.replace('-', '~')}`);
    assert.deepEqual(
      [await property('ActiveState'), await property('ActiveState', 'ambit@a')],
      ['active', 'active'],
    );
    assert.deepEqual(
      [await run('cat /var/lib/ambit/key'), await run('cat /etc/ambit/*.yaml')],
      [key, config],
    );
    assert.ok((await count()) >= events);
    assert.match(await run(`${asAmbit} ambit audit verify`), /The log is intact\./);
    assert.equal((await call('text-redact', { input: { text: '' } })).outcome?.status, 'succeeded');
  });
  await claim('an upgrade does not start a stopped service', async () => {
    await run(`systemctl stop ambit && dpkg -i /root/${file}`);
    assert.deepEqual(
      [await property('ActiveState'), await property('ActiveState', 'ambit@a')],
      ['inactive', 'active'],
    );
    await run('systemctl start ambit');
  });
}

async function checkRemoval({ run, attempt, property }: Service, file: string): Promise<void> {
  await claim('a removal stops the service, and keeps the data and the configuration', async () => {
    await run('dpkg --remove ambit');
    assert.equal((await attempt('systemctl is-active ambit ambit@a')).stdout, 'inactive\ninactive');
    await run(
      'test -e /var/lib/ambit/audit.db && test -e /etc/ambit/ambit.config.yaml && test ! -e /usr/lib/ambit',
    );
  });
  await claim('an installation after a removal starts the service', async () => {
    await run(`dpkg -i /root/${file}`);
    assert.equal(await property('ActiveState'), 'active');
  });
  await claim('a purge removes both, and reports it', async () => {
    const purged = await run('dpkg --purge ambit');
    assert.match(purged, /^Removing \/var\/lib\/ambit with its keys and its audit log$/m);
    assert.equal(
      await run(
        'find / -xdev -path "*ambit*" -not -path "/root/*" -not -path "/srv/*" | grep -v journal || true',
      ),
      '',
    );
  });
}
