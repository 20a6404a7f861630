// Threat model: T29
// Daemons of its own: the claim is about starts.

import { existsSync, statSync } from 'node:fs';
import { readFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Daemon, daemonProcess } from '../../support/daemon-process.ts';
import { writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const run = {
  runtime: 'process',
  entry: 'scripts/run.sh',
  protocol: 'command',
  capabilities: { exec: ['sh'] },
};
const script = (word: string): string => `#!/bin/sh\necho ${word}\n`;

/** A skill, and daemons that start one after another with the same data directory. */
async function restarts() {
  const folder = await temporaryFolder();
  await writeSkills(join(folder, 'skills'), {
    probe: {
      'ambit.yaml': JSON.stringify({ run }),
      'scripts/run.sh': script('first'),
      'scripts/bad.sh': script('bad'),
    },
  });
  let daemon: Daemon | undefined;
  const stop = async (): Promise<unknown> => daemon?.stop();
  onTestFinished(async () => void (await stop()));
  return {
    folder,
    stop,
    root: join(folder, 'skills/probe'),
    cache: join(folder, 'data/skills.cache'),
    /** Returns the output of the skill in a new daemon, and its digest in the record. */
    async next(): Promise<{ stdout: string; digest: string }> {
      await stop();
      daemon = await daemonProcess(folder, {
        skills: [{ path: join(folder, 'skills'), tier: 'local' }],
      });
      const { body } = await daemon.execute('probe', {});
      const [record] = await daemon.audit('?skill=probe');
      return { stdout: body.outcome?.output?.stdout ?? body, digest: record?.skill?.digest ?? record };
    },
  };
}

test('a start runs the edited skill, also after edits of the same size and time, and ignores a cache that names another program', async () => {
  const { folder, root, cache, stop, next } = await restarts();
  const first = await next();
  expect(first.stdout).toBe('first\n');
  await expect.poll(() => existsSync(cache)).toBe(true);
  expect(statSync(cache).mode & 0o777).toBe(0o600);

  const [file, other] = [join(root, 'scripts/run.sh'), join(folder, 'other.sh')];
  const { atime, mtime, mode } = await stat(file);
  await stop();
  await writeFile(file, script('edit1'));
  await utimes(file, atime, mtime);
  const second = await next();
  expect(second.stdout).toBe('edit1\n');

  await stop();
  await writeFile(other, script('edit2'), { mode });
  await utimes(other, atime, mtime);
  await rename(other, file);
  const third = await next();
  expect(third.stdout).toBe('edit2\n');
  expect(new Set([first, second, third].map(({ digest }) => digest)).size).toBe(3);

  const [real, planted] = ['"entry":"scripts/run.sh"', '"entry":"scripts/bad.sh"'];
  await expect.poll(() => readFile(cache, 'latin1')).toContain(third.digest);
  await stop();
  const content = await readFile(cache, 'latin1');
  expect(content).toContain(real);
  await writeFile(cache, content.replaceAll(real, planted), 'latin1');
  expect(await next()).toEqual(third);
  await expect.poll(() => readFile(cache, 'latin1')).toContain(real);
});
