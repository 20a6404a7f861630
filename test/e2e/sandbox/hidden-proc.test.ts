// Threat model: T84

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { ambitWith, canUnshare } from '../support/own-mounts.ts';

/** Hides parts of /proc like a container engine. The kernel then allows no new /proc in a sandbox. */
const cover = 'mount -t tmpfs -o ro none /proc/fs';

describe.skipIf(!canUnshare)('with a partly hidden /proc, as in a container (needs root)', () => {
  test('a process skill is refused, and doctor prints how to unmask /proc', async () => {
    const folder = await inputs();
    const refused = await ambitThere(cover, ['run', 'csv-profile', '--input', 'table.json'], folder);
    expect(refused.said).toMatch(/^ambit: SANDBOX_UNAVAILABLE: /);
    expect(refused.code).toBe(4);
    const report = await ambitThere(cover, ['doctor', '--json'], folder);
    const checks: { name: string }[] = JSON.parse(report.printed).checks;
    expect(checks.find(({ name }) => name === 'process sandbox')).toEqual({
      name: 'process sandbox',
      status: 'missing',
      found: "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
      meaning: 'process skills are refused with SANDBOX_UNAVAILABLE',
      fix: expect.stringMatching(/^Parts of \/proc are masked/),
    });
    expect(report.code).toBe(4);
  });

  test('a WASM skill runs in the available sandbox, which its record names', async () => {
    const folder = await inputs();
    const ran = await ambitThere(cover, ['run', 'text-redact', '--input', 'text.json'], folder);
    expect(JSON.parse(ran.printed)).toMatchObject({ text: '[redacted-email]' });
    const log = await ambitThere(cover, ['audit', '--json', '--skill', 'text-redact'], folder);
    expect(JSON.parse(log.printed).records).toMatchObject([{ sandbox: 'node-permission' }]);
  });

  test('doctor advises root of a container, which lacks capabilities, to become an ordinary user', async () => {
    const without = 'exec setpriv --bounding-set -sys_admin -- "$@"';
    const report = await ambitThere(without, ['doctor', '--json'], await inputs());
    const checks: { name: string }[] = JSON.parse(report.printed).checks;
    expect(checks.find(({ name }) => name === 'process sandbox')).toMatchObject({
      status: 'missing',
      found: 'root could not map the users of a sandbox: EPERM: operation not permitted, write',
      fix: expect.stringMatching(/^Run Ambit as an ordinary user/),
    });
  });

  test('both run in the same place with a complete /proc', async () => {
    const folder = await inputs();
    const table = await ambitThere('true', ['run', 'csv-profile', '--input', 'table.json'], folder);
    expect(JSON.parse(table.printed)).toMatchObject({ rows: 1 });
    const text = await ambitThere('true', ['run', 'text-redact', '--input', 'text.json'], folder);
    expect(JSON.parse(text.printed)).toMatchObject({ text: '[redacted-email]' });
  });
});

/** Runs a command with a data directory of its own: a daemon that runs elsewhere would have the /proc of elsewhere. */
async function ambitThere(prepare: string, args: readonly string[], folder: string) {
  return ambitWith(prepare, [...args, '--data-dir', join(folder, 'data')], folder);
}

async function inputs(): Promise<string> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'text.json'), '{"text":"ada@example.org"}');
  await writeFile(join(folder, 'table.json'), '{"csv":"a,b\\n1,2\\n"}');
  return folder;
}
