// Threat model: T153

import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { zipOf } from '../../../packages/installs/src/testing/archives.ts';
import { daemonProcess } from '../../support/daemon-process.ts';
import { localServer } from '../../support/local-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Root in a container may not be allowed to mount. */
const mayMount = process.geteuid?.() === 0 && spawnSync('unshare', ['--mount', 'true']).status === 0;

/** A small disk of its own at a folder, until the test ends. */
async function disk(folder: string, size: string) {
  await mkdir(folder, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=755`, 'tmpfs', folder]);
  onTestFinished(() => void execFileSync('umount', ['--lazy', folder]));
  const filling = join(folder, 'filling');
  return {
    fill() {
      const file = openSync(filling, 'w');
      try {
        for (;;) writeSync(file, Buffer.alloc(4096));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        closeSync(file);
      }
    },
    free: () => rm(filling),
  };
}

const skillMd = (name: string, description: string) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n${'Read on.\n'.repeat(2000)}`;

test.runIf(mayMount)(
  'with a full disk, each change of installed skills fails with the reason and leaves the old state, or needs no space (needs root, to mount)',
  async () => {
    const [root, data] = [await temporaryFolder(), join(await temporaryFolder(), 'data')];
    const disks = {
      lock: await disk(join(root, 'project'), '256k'),
      log: await disk(data, '96m'),
      files: await disk(join(data, 'installs'), '256k'),
      temporary: await disk(join(root, 'temporary'), '256k'),
    };
    const { origin: base } = await localServer((_, response) =>
      response.end(zipOf([{ path: 'notes/SKILL.md', content: skillMd('notes', 'first') }])),
    );
    const daemon = await daemonProcess(
      join(root, 'project'),
      { installs: { network: [base] } },
      { dataDir: data, env: { TMPDIR: join(root, 'temporary') } },
    );
    onTestFinished(async () => void (await daemon.stop('SIGKILL')));
    const source = join(root, 'acme');
    const write = async (description: string): Promise<void> => {
      await mkdir(join(source, 'docx'), { recursive: true });
      await writeFile(join(source, 'docx/SKILL.md'), skillMd('docx', description));
    };

    const lockFile = join(root, 'project/ambit.lock');
    const state = async () => [
      (await daemon.request('GET', '/installs')).body,
      await readFile(lockFile, 'utf8').catch(() => null),
      (await readdir(join(root, 'project'))).filter((name) => name !== 'filling').toSorted(),
    ];
    const change = (path: string, body: object) => daemon.request('POST', `/installs${path}`, { body });
    type Disk = keyof typeof disks;
    const refusals: string[] = [];
    /** Makes a change with each of some disks full, which fails, then with the others full, which succeeds. */
    const changeWithFull = async (
      name: string,
      codes: Partial<Record<Disk, string>>,
      path: string,
      body: () => Promise<object> | object,
    ): Promise<void> => {
      for (const [full, code] of Object.entries(codes)) {
        const before = await state();
        disks[full as Disk].fill();
        const { body: answer } = await change(path, await body());
        const after = await state();
        await disks[full as Disk].free();
        refusals.push(`${name}, ${full}`);
        const words = expect.stringMatching(/the disk is full|audit\.minFreeBytes|no space left/);
        expect([name, full, answer.code, answer.detail]).toEqual([name, full, code, words]);
        expect(after).toEqual(before);
      }
      const others = (Object.keys(disks) as Disk[]).filter((each) => codes[each] === undefined);
      for (const other of others) disks[other].fill();
      const { status, body: answer } = await change(path, await body());
      for (const other of others) await disks[other].free();
      expect([name, answer.detail, status]).toEqual([name, undefined, 200]);
    };
    const reviewed = async () => ({
      digest: (await daemon.request('GET', '/installs/acme:docx')).body.digest,
    });
    const whole = { lock: 'LOCK_INVALID', log: 'AUDIT_UNAVAILABLE' };
    const unwritten = { files: 'STORE_UNAVAILABLE', temporary: 'SANDBOX_UNAVAILABLE' };
    const fetching = { ...whole, ...unwritten };

    await write('first');
    await changeWithFull('add', fetching, '', () => ({ source }));
    await changeWithFull('add from a server', fetching, '', () => ({
      source: `${base}/notes.zip`,
      namespace: 'far',
    }));
    await changeWithFull('approve', whole, '/acme:docx/approve', reviewed);
    await write('second');
    await changeWithFull('update', fetching, '/update', () => ({ skills: ['docx'] }));
    await changeWithFull('approve an update', whole, '/acme:docx/approve', reviewed);
    await changeWithFull('revoke', { log: 'AUDIT_UNAVAILABLE' }, '/revoke', () => ({ subject: 'docx' }));
    await changeWithFull('restore', { log: 'AUDIT_UNAVAILABLE' }, '/restore', () => ({ subject: 'docx' }));
    await rm(join(data, 'installs/acme'), { recursive: true });
    await changeWithFull('sync', unwritten, '/sync', () => ({}));
    expect((await daemon.request('GET', '/installs/docx')).body.skill.state).toBe('approved');
    await changeWithFull('remove', whole, '/remove', () => ({ skills: ['docx'] }));
    expect(refusals).toHaveLength(22);
    expect(await readdir(join(root, 'temporary'))).toEqual([]);
    expect((await daemon.request('GET', '/audit/verify')).body.intact).toBe(true);
  },
);
