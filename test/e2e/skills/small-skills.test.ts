import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findHostProgram } from '../../../packages/runtime/src/index.ts';
import { type Daemon, daemonProcess } from '../../support/daemon-process.ts';
import { writeSkills } from '../../support/skills.ts';
import { smallSkills } from '../support/small-skills.ts';

let folder: string;
let daemon: Daemon;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ambit-e2e-'));
  const path = join(folder, 'skills');
  await writeSkills(path, Object.fromEntries(smallSkills.map(({ id, files }) => [id, files])));
  daemon = await daemonProcess(folder, { skills: [{ path, tier: 'local' }] });
});
afterAll(async () => {
  await daemon.stop('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

test('there are twenty small skills in five languages', () => {
  const languages = smallSkills.map(({ needs }) => (needs[0] ?? 'wasm').replace(/^(bash|sh)$/, 'shell'));
  expect({ count: smallSkills.length, languages: [...new Set(languages)] }).toEqual({
    count: 20,
    languages: ['shell', 'node', 'python3', 'perl', 'wasm'],
  });
});

test.each(smallSkills.filter(({ needs }) => needs.every((name) => findHostProgram(name) !== undefined)))(
  'the small skill $id runs unchanged',
  async ({ id, call, output, leaves = [] }) => {
    const { body } = await daemon.execute(id, call);
    expect({ outcome: body.outcome, files: body.files ?? [] }).toEqual({
      outcome: { status: 'succeeded', output },
      files: leaves.map((left) => expect.objectContaining({ change: 'created', ...left })),
    });
  },
);
