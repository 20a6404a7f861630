// Threat model: T349

import { createPrivateKey, createPublicKey } from 'node:crypto';
import { bytesOf, leafHash, provesInclusion, rootFromTiles, type TreeHead } from '@ambit/core/merkle';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import type { PostgresSettings } from '../../store/postgres/postgres-settings.ts';
import {
  inDatabase,
  openTransactions,
  postgresDatabase,
  socketVariable,
  steps,
} from '../../store/testing/postgres-databases.ts';
import { sha256 } from '../log/sha256.ts';
import { openAuditLog } from '../open-audit-log.ts';
import { rejection } from '../testing/audit-files.ts';
import { heldLease, nodeKey } from '../testing/cluster-logs.ts';
import { extendTree, reader, readTiles } from './extend-tree.ts';
import { readLeaf } from './leaf.ts';
import { lastHead, treeFile } from './read-tree.ts';
import { nodeSigner, signedHead } from './tree-key.ts';

describe.runIf(process.env[socketVariable] !== undefined)('the tree of a cluster', () => {
  test('has each log and checkpoint once, and proves that it covers an event', async () => {
    const postgres = await postgresDatabase();
    const keys = [nodeKey(), nodeKey()];
    const logs = await Promise.all(
      keys.map(async (key, at) =>
        openAuditLog({
          file: `${await temporaryFolder()}/audit.db`,
          postgres,
          node: { node: at + 1, name: `n${at}` },
          ships: { answersWaitMs: 0, nodeKey: key, lease: await heldLease(postgres, at + 1) },
        }),
      ),
    );
    onTestFinished(async () => void (await Promise.all(logs.map((log) => log.close()))));
    await openTransactions(postgres).run(() => steps(["UPDATE nodes SET certificate = 'C' || id"]));
    // A checkpoint follows a thousand events.
    for (const log of logs)
      await Promise.all(Array.from({ length: 1001 }, (_, at) => log.append(rejection(`${at}`))));
    const [first] = logs;
    const proof = await vi.waitFor(async () => {
      const found = await first?.tree?.inclusion(500);
      if (found === undefined) throw new Error('not in the tree yet');
      return found;
    });
    const head = signedHead(proof.head, keys.map(publicKey));
    if (head === undefined) throw new Error('no node has signed the head');
    const by = keys.findIndex((key) => signedHead(proof.head, [publicKey(key)]) !== undefined) + 1;
    expect(proof.signer).toEqual({ node: by, certificate: `C${by}` });
    const leaf = readLeaf(proof.leaf);
    const statement = leaf?.kind === 'checkpoint' ? JSON.parse(leaf.signed).statement : undefined;
    expect(statement).toMatchObject({ type: 'ambit/checkpoint/1' });
    expect(statement.sequence).toBeGreaterThanOrEqual(500);
    const hashes = proof.proof.map((each) => bytesOf(each) ?? Buffer.of());
    const at = { hash: leafHash(sha256, proof.leaf), index: proof.index };
    expect(provesInclusion(sha256, at, head, hashes)).toBe(true);
    expect(provesInclusion(sha256, { ...at, hash: leafHash(sha256, `${proof.leaf} `) }, head, hashes)).toBe(
      false,
    );
    expect(await first?.tree?.inclusion(5000)).toBeUndefined();
    const leaves = await vi.waitFor(async () => {
      const found = await inDatabase(postgres, 'SELECT leaf FROM ambit.tree_leaves ORDER BY number');
      if (found.length < 4) throw new Error('not all leaves yet');
      return found
        .map(({ leaf: text }) => readLeaf(String(text)))
        .map((each) => `${each?.kind} ${each?.node}`);
    });
    expect(leaves.toSorted()).toEqual(['checkpoint 1', 'checkpoint 2', 'log 1', 'log 2']);
    expect(await first?.tree?.file('tile/entries/000.p/1')).toEqual(
      Uint8Array.from(await bundle(postgres, 1)),
    );
    expect(await first?.tree?.file('tile/0/000')).toBeUndefined();
  });

  test('grows by nodes in turn, each head continues the previous one, and its tiles match its size', async () => {
    const postgres = await postgresDatabase();
    const transactions = openTransactions(postgres);
    const keys = [nodeKey(), nodeKey(), nodeKey()];
    const add = (count: number) =>
      transactions.run(() =>
        steps([
          "INSERT INTO tree_pending (leaf) SELECT 'leaf ' || generate_series FROM generate_series(1, ?::INT)",
          count,
        ]),
      );
    for (const count of [1, 254, 1, 3, 1200, 77]) {
      await add(count);
      for (let left = count; left > 0; ) {
        const added = await Promise.all(
          keys.map((key, at) => transactions.run(() => extendTree(at + 1, nodeSigner(key)))),
        );
        // At most one node adds at a time.
        left -= added.reduce((sum, each) => sum + each, 0);
      }
    }
    const notes = await inDatabase(postgres, 'SELECT note FROM ambit.tree_heads ORDER BY size');
    const heads = notes.map(({ note }) => signedHead(String(note), keys.map(publicKey)) as TreeHead);
    const last = heads.at(-1) as TreeHead;
    expect(last.size).toBe(1536);
    expect(await transactions.run(lastHead)).toBe(notes.at(-1)?.['note']);
    const tiles = await transactions.run(() =>
      readTiles([...Array(6).keys()].map((number) => ({ level: 0, number })).concat({ level: 1, number: 0 })),
    );
    // Each earlier tree is the beginning of the last.
    for (const { size, root } of heads)
      expect(Buffer.from(rootFromTiles(sha256, size, reader(tiles)))).toEqual(Buffer.from(root));
    expect((await transactions.run(() => treeFile('tile/1/000.p/6')))?.length).toBe(6 * 32);
    expect(await transactions.run(() => treeFile('tile/1/000.p/7'))).toBeUndefined();
    expect((await transactions.run(() => treeFile('tile/0/005')))?.length).toBe(256 * 32);
  });

  test('a node does not sign a tree whose tiles were changed', async () => {
    const postgres = await postgresDatabase();
    const transactions = openTransactions(postgres);
    const signer = nodeSigner(nodeKey());
    const wait = () => transactions.run(() => steps(["INSERT INTO tree_pending (leaf) VALUES ('a')"]));
    await wait();
    expect(await transactions.run(() => extendTree(1, signer))).toBe(1);
    await wait();
    await inDatabase(postgres, "UPDATE ambit.tree_tiles SET hashes = sha256('other')");
    await expect(transactions.run(() => extendTree(1, signer))).rejects.toThrow('do not match its last head');
  });
});

function publicKey(key: string) {
  return createPublicKey(createPrivateKey(key));
}

/** An entry bundle as tlog-tiles describes it: each entry after its length in two bytes. */
async function bundle(postgres: PostgresSettings, width: number): Promise<Buffer> {
  const rows = await inDatabase(
    postgres,
    `SELECT leaf FROM ambit.tree_leaves WHERE number < ${width} ORDER BY number`,
  );
  return Buffer.concat(
    rows.map(({ leaf }) => {
      const bytes = Buffer.from(String(leaf));
      return Buffer.concat([Buffer.of(bytes.length >> 8, bytes.length & 255), bytes]);
    }),
  );
}
