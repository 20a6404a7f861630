import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Capabilities } from '@ambit/core/execute';
import { noCapabilities, type Proposal } from '@ambit/core/policy';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { changedFiles, writeChanges } from './changed-files.ts';

const env = (name: string) => Capabilities.parse({ env: [name] });

/** A proposal for `acme:docx`. */
function proposal(parts: Partial<Pick<Proposal, 'grant' | 'requests'>>): Proposal {
  return { skill: 'acme:docx', grant: noCapabilities, requests: [], ...parts } as unknown as Proposal;
}

/** The folder of a skill with this sidecar. */
async function skillWith(sidecar: string): Promise<string> {
  const root = await temporaryFolder();
  await writeFile(join(root, 'ambit.yaml'), sidecar);
  return root;
}

const runs = `run:
  runtime: process
  capabilities: { env: [A] }
  scripts:
    own: { entry: own.sh, capabilities: { env: [B] } }
    same: same.sh
`;

test.each<[script: string | null, after: object]>([
  [null, { capabilities: { env: ['A', 'TZ'] } }],
  ['same', { capabilities: { env: ['A', 'TZ'] } }],
  ['own', { scripts: { own: { entry: 'own.sh', capabilities: { env: ['B', 'TZ'] } }, same: 'same.sh' } }],
])('the request of run %s is changed where it is written', async (script, after) => {
  const root = await skillWith(runs);
  const requests = [{ script, capabilities: env('TZ') }];
  const [change] = await changedFiles(
    proposal({ requests }),
    { root },
    { file: undefined, newFile: undefined },
  );
  expect(parse(change?.after ?? '').run).toEqual({ ...parse(runs).run, ...after });
});

test('without a configuration, a new one is written', async () => {
  const cwd = await temporaryFolder();
  const newFile = join(cwd, 'ambit/ambit.config.yaml');
  const changes = await changedFiles(
    proposal({ grant: env('TZ') }),
    { root: cwd },
    { file: undefined, newFile },
  );
  await writeChanges(changes);
  expect(parse(await readFile(newFile, 'utf8'))).toEqual({
    grants: { 'acme:docx': { env: ['TZ'] } },
  });
});

test('a file that changed in the meantime is left alone', async () => {
  const cwd = await temporaryFolder();
  const file = join(cwd, 'config.yaml');
  await writeFile(file, 'logLevel: info\n');
  const changes = await changedFiles(
    proposal({ grant: env('TZ') }),
    { root: cwd },
    { file, newFile: undefined },
  );
  await writeFile(file, 'logLevel: warn\n');
  await expect(writeChanges(changes)).rejects.toThrow(/has changed in the meantime/);
  expect(await readFile(file, 'utf8')).toBe('logLevel: warn\n');
});

test('a configuration behind a symlink is changed in its place', async () => {
  const cwd = await temporaryFolder();
  const [file, target] = [join(cwd, 'config.yaml'), join(cwd, 'real.yaml')];
  await writeFile(target, 'logLevel: info\n');
  await symlink(target, file);
  await writeChanges(
    await changedFiles(proposal({ grant: env('TZ') }), { root: cwd }, { file, newFile: undefined }),
  );
  expect(parse(await readFile(target, 'utf8'))).toMatchObject({ grants: { 'acme:docx': { env: ['TZ'] } } });
});

test('the sidecar of a skill is not changed through a symlink', async () => {
  const [root, elsewhere] = [await temporaryFolder(), await skillWith(runs)];
  await symlink(join(elsewhere, 'ambit.yaml'), join(root, 'ambit.yaml'));
  const requests = [{ script: null, capabilities: env('TZ') }];
  const changes = changedFiles(proposal({ requests }), { root }, { file: undefined, newFile: undefined });
  await expect(changes).rejects.toThrow(/is a symlink/);
});
