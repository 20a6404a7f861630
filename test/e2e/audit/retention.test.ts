// Threat model: T253

import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startDaemon } from '../../support/daemon.ts';
import { ambit } from '../../support/daemon-process.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// Assembled here, so secret scanners do not report this file.
const secret = ['sk', '_live_', 'aB3dE5gH7jK9mN1pQ3sT5vW7'].join('');

test('nothing with the shape of a secret reaches the data directory, which only its owner can access, through any input or output', async () => {
  const skills = join(await temporaryFolder(), 'skills');
  await writeSkills(skills, {
    echo: pythonSkill('print(json.dumps(given))'),
    fails: pythonSkill('sys.exit(str(given))'),
  });
  const daemon = await startDaemon({
    skills: [{ path: skills, tier: 'local' }],
    audit: { payloads: 'full' },
  });
  const forms = [secret, `token=${secret}&n=1`, `Bearer ${secret}`, JSON.stringify({ secret }), daemon.key];
  for (const form of forms) {
    await daemon.execute('echo', { input: { text: form, context: form }, context: { phase: form } });
    await daemon.execute('fails', { input: form });
    await daemon.execute(encodeURIComponent(form), { input: 1 });
    await daemon.request('GET', `/${encodeURIComponent(form)}`);
    await daemon.execute('echo', {
      input: 1,
      capabilities: { env: [form.replaceAll(/[^A-Za-z0-9_]/g, '_')] },
    });
  }
  const records = await daemon.audit('?limit=200');
  expect(records.length).toBe(forms.length * 5);
  expect(JSON.stringify(records)).toContain('[redacted]');
  const names = ['.', ...(await readdir(daemon.dataDir, { recursive: true }))];
  const open = [];
  for (const name of names)
    if (((await stat(join(daemon.dataDir, name))).mode & 0o077) !== 0) open.push(name);
  // Only the owner can access any of it.
  expect({ open, some: names.includes('audit.db') }).toEqual({ open: [], some: true });
  expect(await daemon.stop()).toEqual({ code: 0, signal: null });
  for (const name of await readdir(daemon.dataDir)) {
    const path = join(daemon.dataDir, name);
    if (name === 'key' || !(await stat(path)).isFile()) continue;
    const content = (await readFile(path)).toString('latin1');
    for (const each of [secret, daemon.key]) expect(content, `${each} in ${name}`).not.toContain(each);
  }
});

test('backup works while a daemon runs, and prune after it has stopped; doctor finds a data directory that others can access', async () => {
  const config = { audit: { retentionDays: 0.000001 } };
  const daemon = await startDaemon(config);
  await daemon.execute('csv-profile', { input: { csv: 'a\n1\n' } });
  const folder = await temporaryFolder();
  const common = ['--json', '--data-dir', daemon.dataDir, '--config', join(folder, 'ambit.config.yaml')];
  await writeFile(join(folder, 'ambit.config.yaml'), JSON.stringify(config));

  const copy = join(folder, 'copy.db');
  const backup = await ambit(['audit', 'backup', 'copy.db', ...common.slice(1)], { cwd: folder });
  expect(backup).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^Copied the log up to event \d+ \(sha256:\w+\) to \S+\/copy\.db, \d+ bytes\.\nTo restore it: /,
    ),
  });
  expect((await stat(copy)).mode & 0o777).toBe(0o600);

  await chmod(daemon.dataDir, 0o755);
  const { checks } = JSON.parse((await ambit(['doctor', ...common])).stdout);
  expect(checks.find(({ name }: { name: string }) => name === 'data directory')).toMatchObject({
    status: 'limited',
    fix: `chmod -R go= ${daemon.dataDir}`,
  });
  await chmod(daemon.dataDir, 0o700);

  const preview = await ambit(['audit', 'prune', '--dry-run', ...common]);
  expect(JSON.parse(preview.stdout)).toMatchObject({ dryRun: true, gone: [{ what: 'payloads', count: 2 }] });
  const refused = await ambit(['audit', 'prune', ...common]);
  expect({ code: refused.code, error: JSON.parse(refused.stderr).error.code }).toEqual({
    code: 4,
    error: 'AUDIT_UNAVAILABLE',
  });
  await daemon.stop();
  const prune = (...options: string[]) => ambit(['audit', 'prune', ...options, ...common.slice(1)]);
  expect((await prune('--dry-run')).stdout).toMatch(
    /^Would remove the stored parts of 2 inputs and outputs, up to event \d+\.\n$/,
  );
  expect((await prune()).stdout).toMatch(
    /^Removed the stored parts of 2 inputs and outputs, up to event \d+\.\n$/,
  );
  expect((await prune()).stdout).toBe('Nothing to remove.\n');
  const shown = await ambit(['audit', ...common]);
  expect(JSON.parse(shown.stdout).records).toMatchObject([{ skill: { id: 'csv-profile' }, stored: {} }]);
});
