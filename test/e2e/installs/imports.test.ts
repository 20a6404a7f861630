// Threat model: T132

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ambit } from '../../support/daemon-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { project } from '../support/project.ts';

const skill = { id: 'mapper', name: 'Mapper', description: 'Maps.', tools: ['Read'] };

test('imported skills are listed in the lock file, and stay untrusted until they are approved', async () => {
  const { cwd, json } = await project({ bundledSkills: false });
  const write = (description: string) =>
    writeFile(
      join(cwd, 'skills.json'),
      JSON.stringify({
        phase_skills: { plan: ['mapper'] },
        skills: [{ ...skill, description, mcp_servers: [{ name: 'db', command: 'db' }] }],
      }),
    );
  const lock = () => readFile(join(cwd, 'ambit.lock'), 'utf8');

  await write('Maps.');
  const imported = await json('import', 'wreckit', 'skills.json');
  expect(imported).toMatchObject({
    written: ['mapper'],
    settings: {
      phases: { plan: { skills: ['wreckit:mapper'] } },
      grants: { 'wreckit:mapper': { mcpServers: { db: { command: 'db' } } } },
    },
    lines: [{ kind: 'to-do', about: 'mapper', text: expect.stringContaining('needs the MCP server db;') }],
    installed: { skills: [{ id: 'wreckit:mapper', change: 'added' }], refused: [] },
  });
  expect(await lock()).toContain(`"wreckit:mapper": {\n      "approval": null,\n`);
  expect(await json('skills', 'installed')).toMatchObject({
    skills: [{ id: 'wreckit:mapper', state: 'unapproved', source: join(cwd, 'imported/wreckit') }],
  });
  const approved = await json('skills', 'approve', 'mapper');
  expect(approved).toMatchObject({ id: 'wreckit:mapper', tier: 'verified' });

  await write('Maps more.');
  // The existing folder stays without --force.
  expect((await json('import', 'wreckit', 'skills.json')).installed.skills).toMatchObject([
    { id: 'wreckit:mapper', change: 'unchanged' },
  ]);
  const again = await json('import', 'wreckit', 'skills.json', '--force');
  expect(again.installed.skills).toMatchObject([{ id: 'wreckit:mapper', change: 'waiting' }]);
  expect((await json('skills', 'review', 'mapper')).approved).toBe(approved.digest);
});

test('with --out, an import writes folders and installs nothing; with --dry-run it does neither', async () => {
  const cwd = await temporaryFolder();
  await mkdir(join(cwd, 'rules'));
  await writeFile(join(cwd, 'rules/tidy.md'), '# tidy\n\nKeeps things tidy.\n');
  const run = (...words: readonly string[]) => ambit(['import', 'folder', 'rules', ...words], { cwd });
  expect(await run('--dry-run')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`1 skill would be written to ${join(cwd, 'imported/rules')}`),
  });
  expect((await run('--out', 'skills')).code).toBe(0);
  expect(await readdir(cwd)).toEqual(['rules', 'skills']);
  expect(await run('--out', 'skills', '--namespace', 'its')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--out installs nothing, so it has no --namespace'),
  });
  expect(await run('--namespace', '../up')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('the namespace is invalid: use 1 to 64 of a-z, 0-9 and single hyphens'),
  });
  const shown = await run('--namespace', 'its');
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringMatching(/^its:tidy +added +instructions/m) });
  expect(shown.stderr).toContain('Next: ambit skills review its:tidy');
});
