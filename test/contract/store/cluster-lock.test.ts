// Threat model: T350, T351

import { appendFile, chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { lockNode } from '../../../packages/server/src/cluster/testing/lock-node.ts';
import {
  openPostgres,
  openTransactions,
  postgresDatabase,
  socketVariable,
  steps,
} from '../../../packages/server/src/store/testing/postgres-databases.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Two nodes in one database, and a source of skills. */
async function world() {
  const settings = await postgresDatabase();
  const store = openPostgres(settings, 'beside');
  const source = await temporaryFolder();
  const write = async (skill: string, description: string): Promise<void> => {
    await mkdir(join(source, skill, 'scripts'), { recursive: true });
    await writeFile(
      join(source, skill, 'SKILL.md'),
      `---\nname: ${skill}\ndescription: ${description}\n---\n`,
    );
    await writeFile(join(source, skill, 'scripts/run.sh'), `#!/bin/sh\necho ${description}\n`);
    await chmod(join(source, skill, 'scripts/run.sh'), 0o755);
  };
  await write('docx', 'first');
  const transactions = openTransactions(settings);
  return {
    store,
    source,
    write,
    a: await lockNode(store, 1),
    b: await lockNode(store, 2),
    sql: (text: string, ...values: string[]) => transactions.run(() => steps([text, ...values])),
  };
}

async function codeOf(change: Promise<unknown>): Promise<string> {
  return change.then(
    () => 'none',
    (error: { code?: string; message: string }) => error.code ?? error.message,
  );
}

describe.runIf(process.env[socketVariable] !== undefined)('the lock file of a cluster', () => {
  test('brings what one node adds, approves, updates and removes to another, with the same files', async () => {
    const { a, b, source, write } = await world();
    // Larger than two pieces, and an empty file.
    await writeFile(join(source, 'docx/data.bin'), Buffer.alloc(5 * 1024 * 1024, 'ambit'));
    await writeFile(join(source, 'docx/empty.txt'), '');
    await a.add(source);
    await a.approve('acme:docx');
    await b.shared.read();
    const [{ tier, path }] = Object.values(await b.inForce()) as [{ tier: string; path: string }];
    expect([Object.keys(await b.inForce()), tier]).toEqual([['acme:docx'], 'verified']);
    const onA = (await a.inForce())['acme:docx']?.path ?? '';
    for (const file of ['SKILL.md', 'data.bin', 'empty.txt', 'scripts/run.sh']) {
      expect((await readFile(join(path, file))).equals(await readFile(join(onA, file)))).toBe(true);
      const modes = await Promise.all(
        [path, onA].map(async (root) => (await stat(join(root, file))).mode & 0o111),
      );
      expect(modes[0]).toBe(modes[1]);
    }
    expect((await stat(path)).mode & 0o777).toBe(0o755);
    expect(await readFile(b.config.lockFile, 'utf8')).toBe(await readFile(a.config.lockFile, 'utf8'));

    await write('docx', 'second');
    expect((await b.update()).skills).toMatchObject([{ id: 'acme:docx', change: 'waiting' }]);
    expect((await a.approve('acme:docx')).digest).not.toBe(path);
    await b.shared.read();
    expect(await readFile(join((await b.inForce())['acme:docx']?.path ?? '', 'SKILL.md'), 'utf8')).toContain(
      'second',
    );
    await b.remove('acme:docx');
    await a.shared.read();
    expect([await a.inForce(), await b.inForce()]).toEqual([{}, {}]);
  });

  test('refuses one of two changes at the same time before it is recorded, and then makes it', async () => {
    const { a, b, source, write } = await world();
    const other = await temporaryFolder();
    await mkdir(join(other, 'notes'));
    await writeFile(join(other, 'notes/SKILL.md'), '---\nname: notes\ndescription: n\n---\n');
    await b.shared.read();
    let codes: string[] = [];
    a.onAppend(async () => {
      a.onAppend(async () => undefined);
      codes = [await codeOf(b.add(other))];
    });
    await a.add(source);
    expect(codes).toEqual(['REVIEW_STALE']);
    expect(b.events).toMatchObject([{ kind: 'install.refused', refusals: [{ code: 'REVIEW_STALE' }] }]);
    await b.add(other);
    await a.shared.read();
    expect([Object.keys(await a.inForce()), Object.keys(await b.inForce())]).toEqual([
      ['acme:docx', 'acme:notes'],
      ['acme:docx', 'acme:notes'],
    ]);

    // A change that fails frees the list for others.
    await write('pdf', 'p');
    a.onAppend(async () => Promise.reject(new Error('the log is full')));
    expect(await codeOf(a.add(source))).toBe('the log is full');
    expect(Object.keys(await a.inForce())).toEqual(['acme:docx', 'acme:notes']);
    await b.add(source);
    expect(Object.keys(await b.inForce())).toContain('acme:pdf');
  });

  test('lets another node change the list once a claim has expired, and refuses the late change', async () => {
    const { a, b, source, sql } = await world();
    await b.shared.read();
    const other = await temporaryFolder();
    await mkdir(join(other, 'notes'));
    await writeFile(join(other, 'notes/SKILL.md'), '---\nname: notes\ndescription: n\n---\n');
    a.onAppend(async () => {
      a.onAppend(async () => undefined);
      await sql('UPDATE documents SET claimed_until = claimed_until - 61000');
      await b.add(other);
    });
    expect(await codeOf(a.add(source))).toBe('REVIEW_STALE');
    await a.shared.read();
    expect(Object.keys(await a.inForce())).toEqual(['acme:notes']);
  });

  test('refuses files that do not match their digests, names them, and retains the previous version', async () => {
    const { a, b, source, write, sql } = await world();
    await a.add(source);
    await b.shared.read();
    const before = await b.inForce();
    await write('docx', 'second');
    await write('pdf', 'p');
    await a.update();
    await a.add(source);
    const listing = JSON.parse((await readFile(a.config.lockFile, 'utf8')).replace(/^#.*\n/, ''));
    const sha256: string = listing.skills['acme:docx'].files['SKILL.md'];
    await sql(`UPDATE blobs SET piece = set_byte(piece, 0, 0) WHERE sha256 = ?`, sha256);
    await b.shared.read();
    expect(await b.inForce()).toEqual({
      ...before,
      'acme:pdf': expect.objectContaining({ tier: 'untrusted' }),
    });
    expect(b.warnings).toEqual([
      `acme:docx: cannot get the files of an installed skill; its previous version stays in force: "SKILL.md" in the database does not have the SHA-256 ${sha256}`,
    ]);
    await sql('UPDATE blobs SET piece = set_byte(piece, 0, 45) WHERE sha256 = ?', sha256);
    await b.shared.restore();
    expect(Object.keys(await b.inForce())).toEqual(['acme:docx', 'acme:pdf']);
    expect((await b.inForce())['acme:docx']).not.toEqual(before['acme:docx']);

    // A path that leads out of the folder is not written.
    await write('docx', 'third');
    await a.update();
    await sql(`UPDATE tree_files SET path = '../../escaped' WHERE path = 'scripts/run.sh'`);
    await b.shared.read();
    expect(b.warnings.slice(1)).toEqual([
      expect.stringContaining('has a file outside of its folder: "../../escaped"'),
    ]);
  });

  test('replaces an edited lock file, and fetches removed files with sync', async () => {
    const { a, b, source } = await world();
    await a.add(source);
    await b.shared.read();
    const text = await readFile(b.config.lockFile, 'utf8');
    await appendFile(b.config.lockFile, '# mine\n');
    await b.shared.read();
    expect(await readFile(b.config.lockFile, 'utf8')).toBe(text);
    expect(b.warnings).toEqual(['replaced a lock file that was edited: change skills with "ambit skills"']);

    const { path } = (await b.inForce())['acme:docx'] as { path: string };
    await chmod(path, 0o755);
    await rm(join(path, 'SKILL.md'));
    await rm(source, { recursive: true });
    await b.sync();
    expect(await readFile(join(path, 'SKILL.md'), 'utf8')).toContain('first');
  });

  test('shares what the first node has installed, and a node that starts replaces its own list with it', async () => {
    const { store, source, sql, a, b } = await world();
    // The skills that it had before it was a node.
    const before = await lockNode(store, 3);
    await before.add(source);
    await writeFile(a.config.lockFile, await readFile(before.config.lockFile));
    await rename(join(before.config.dataDir, 'installs'), join(a.config.dataDir, 'installs'));
    await sql('DELETE FROM documents');
    await sql('DELETE FROM trees');
    // Files without a tree would be what the first node's change removes in the background, perhaps only after the next upload.
    await sql('DELETE FROM tree_files');
    await a.shared.start();
    await b.shared.start();
    expect(b.warnings).toEqual([]);
    expect(await b.inForce()).toEqual({ 'acme:docx': { tier: 'untrusted', path: expect.any(String) } });
  });

  test('removes files from the database a day after the last list that named them', async () => {
    const { a, source, write, sql } = await world();
    const count = async () => {
      const [row] = await sql(
        'SELECT (SELECT count(*) FROM trees) AS trees, (SELECT count(DISTINCT sha256) FROM blobs) AS blobs',
      );
      return row;
    };
    await a.add(source);
    await write('docx', 'second');
    await a.update();
    await expect.poll(count).toEqual({ trees: 2, blobs: 4 });
    await sql('UPDATE trees SET used_at = used_at - 86400001');
    await sql('UPDATE blobs SET used_at = used_at - 86400001');
    // Its script is the one of the other skill, and is stored once.
    await write('pdf', 'second');
    await a.add(source);
    await expect.poll(count).toEqual({ trees: 2, blobs: 3 });
  });

  test('takes no calls while the revision cannot be read for too long, and then again', async () => {
    const { store } = await world();
    let isAway = false;
    const asked = store.run as (...given: unknown[]) => Promise<unknown>;
    const run = ((...given: unknown[]) =>
      isAway ? Promise.reject(new Error('the database is away')) : asked(...given)) as typeof store.run;
    const { shared, warnings } = await lockNode({ run }, 3, { intervalMs: 5, maxAgeMs: 2000 });
    onTestFinished(shared.watch());
    const takes = (): string => {
      try {
        shared.requireFresh();
        return 'calls';
      } catch (error) {
        return `${(error as { code: string }).code}: ${(error as Error).message}`;
      }
    };
    expect(takes()).toBe('calls');
    isAway = true;
    await expect
      .poll(takes)
      .toBe(
        'LEASE_LOST: this node takes no calls: it could not read changes of the installed skills for 2 s (the database is away). Send the call to another node, or again later',
      );
    expect(warnings).toEqual(['cannot read changes of the installed skills: the database is away']);
    isAway = false;
    await expect.poll(takes).toBe('calls');
  });
});
