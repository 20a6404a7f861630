// The daemon has a disk of its own.
// Threat model: T316

import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startDaemon } from '../../support/daemon.ts';
import { ambit, type Daemon } from '../../support/daemon-process.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { metricsOf } from '../support/metrics.ts';

/** Root in a container may not be allowed to mount. */
const mayMount = process.geteuid?.() === 0 && spawnSync('unshare', ['--mount', 'true']).status === 0;
const mebibyte = 2 ** 20;

/** Fills the disk of its folder and leaves it full, with several files because each has a size limit. */
const filling = `
import errno
folder = given['folder'] + '/filling'
os.mkdir(folder)
def fill(name):
    file = os.open(folder + '/' + name, os.O_WRONLY | os.O_CREAT)
    try:
        while True:
            os.write(file, bytes(1 << 20))
    except OSError as error:
        return error.errno
files = 0
failed = errno.EFBIG
while failed == errno.EFBIG:
    failed = fill(str(files))
    files += 1
print(json.dumps({'failed': failed}))`;

test.runIf(mayMount)(
  "a skill that fills the log's disk is recorded completely; other calls are refused until there is space (needs root, to mount)",
  async () => {
    const disk = await temporaryFolder();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=96m,mode=755', 'tmpfs', disk]);
    onTestFinished(() => void execFileSync('umount', ['--lazy', disk]));
    const granted = join(disk, 'granted');
    await mkdir(granted);
    // If the daemon is root, the skill runs as another user.
    await chmod(granted, 0o777);
    const skills = join(await temporaryFolder(), 'skills');
    await chmod(join(skills, '..'), 0o755);
    const needs = { capabilities: { exec: ['python3'], filesystem: { write: [granted] } } };
    await writeSkills(skills, { filling: pythonSkill(filling, needs) });
    const daemon = await startDaemon(
      {
        skills: [{ path: skills, tier: 'local' }],
        grants: { filling: { exec: ['python3'], filesystem: { write: [granted] } } },
        audit: { warnFreeBytes: 90 * mebibyte },
      },
      { dataDir: join(disk, 'data') },
    );
    const body = { input: { query: 'a', document: { a: 1 } } };
    const harmless = () => daemon.execute('json-query', body);
    const keyed = () =>
      daemon.request('POST', '/skills/json-query/execute', { body, headers: { 'idempotency-key': 'k1' } });
    expect((await harmless()).status).toBe(200);
    // It is allocated shortly after the start.
    while ((await metricsOf(daemon))['ambit_audit_reserve_bytes'] !== 16_000_000) await delay(100);
    expect(await ready(daemon)).toEqual([200, 'ready', 'low']);

    const noSpace = 28;
    const call = await daemon.execute('filling', { input: { folder: granted } });
    expect([call.status, call.body.outcome?.status, call.body.outcome?.output]).toEqual([
      ...[200, 'succeeded'],
      { failed: noSpace },
    ]);
    expect((await metricsOf(daemon))['ambit_data_free_bytes']).toBe(0);
    expect(await ready(daemon)).toEqual([503, 'unavailable', 'AUDIT_UNAVAILABLE']);
    const refused = await harmless();
    expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
      ...[503, 'AUDIT_UNAVAILABLE'],
      expect.stringContaining('less than audit.minFreeBytes (16 MiB); free some space'),
    ]);
    // The refusal of the store cannot be recorded either.
    expect((await keyed()).body).toMatchObject({ code: 'AUDIT_UNAVAILABLE' });

    await rm(join(granted, 'filling'), { recursive: true });
    expect((await harmless()).status).toBe(200);
    expect((await keyed()).status).toBe(200);
    // A failed check is cached for a second.
    while ((await ready(daemon))[0] !== 200) await delay(100);
    expect(await ready(daemon)).toEqual([200, 'ready', 'low']);
    const outcomes = (await daemon.audit()).map(({ skill, outcome }) => [skill?.id, outcome]);
    expect(outcomes).toEqual([
      ['json-query', 'succeeded'],
      ['json-query', 'succeeded'],
      ['filling', 'succeeded'],
      ['json-query', 'succeeded'],
    ]);
    expect(daemon.logged()).toMatch(/new calls are refused, and running calls are recorded to their end/);
    await daemon.stop();
    const { code } = await ambit(['audit', 'verify', '--data-dir', daemon.dataDir]);
    expect(code).toBe(0);
  },
);

async function ready(daemon: Daemon): Promise<unknown[]> {
  const { status, body } = await daemon.request('GET', '/readyz');
  return [status, body.status, body.checks.disk];
}
