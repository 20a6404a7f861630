import { createHash, createPublicKey, verify } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Sha256 } from '../audit/chain.ts';
import { provesInclusion } from './check-proof.ts';
import { base64, bytesOf, noteKeyId, noteText, readNote, readTreeHead, treeHeadText } from './signed-note.ts';
import {
  hashFromTiles,
  readTilePath,
  rootFromTiles,
  type Tile,
  tilesOf,
  widthIn,
  withLeaves,
} from './tiles.ts';
import { inclusionPath, leafHash, nodeHash, subtreesOf } from './tree.ts';

const sha256: Sha256 = (...parts) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return new Uint8Array(hash.digest());
};
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** The definition of RFC 6962, section 2.1, word for word. */
function rootOf(leaves: readonly Uint8Array[]): Uint8Array {
  const [first] = leaves;
  if (first === undefined) return sha256();
  if (leaves.length === 1) return first;
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  return nodeHash(sha256, rootOf(leaves.slice(0, k)), rootOf(leaves.slice(k)));
}

/** A tree in tiles that grew in steps of these sizes. */
function grown(steps: readonly (readonly Uint8Array[])[]) {
  const tiles = new Map<string, Tile>();
  let size = 0;
  const read = (level: number, index: number, width: number): Uint8Array => {
    const hashes = tiles.get(`${level}/${index}`)?.hashes ?? new Uint8Array();
    if (hashes.length < 32 * width) throw new Error(`tile ${level}/${index} has no ${width} hashes`);
    return hashes.subarray(0, 32 * width);
  };
  for (const leaves of steps) {
    const incomplete = (level: number): Uint8Array => {
      const index = Math.floor(Math.floor(size / 256 ** level) / 256);
      return read(level, index, widthIn(size, level, index));
    };
    for (const tile of withLeaves(sha256, size, incomplete, leaves))
      tiles.set(`${tile.level}/${tile.index}`, tile);
    size += leaves.length;
  }
  return { size, read, tiles };
}

const leavesUpTo = (count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, at) => leafHash(sha256, `leaf ${at}`));

/** The tests of certificate-transparency: github.com/google/certificate-transparency, merkletree. */
const published = {
  leaves: [
    '',
    '00',
    '10',
    '2021',
    '3031',
    '40414243',
    '5051525354555657',
    '606162636465666768696a6b6c6d6e6f',
  ],
  roots: [
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
    'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
    'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
    '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
    'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
    '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
  ],
  inclusion: {
    '0 of 8': [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
    '5 of 8': [
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
    '2 of 3': ['fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125'],
    '1 of 5': [
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ],
  },
  consistency: {
    '1 to 8': [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
    '6 to 8': [
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
    '2 to 5': [
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ],
  },
};

test('roots and proofs match the vectors of certificate-transparency', () => {
  const leaves = published.leaves.map((leaf) => leafHash(sha256, Buffer.from(leaf, 'hex')));
  const rootAt = (size: number): string => {
    const { read } = grown([leaves.slice(0, size)]);
    return hex(rootFromTiles(sha256, size, read));
  };
  expect(published.roots.map((_, size) => rootAt(size))).toEqual(published.roots);
  const { read } = grown([leaves]);
  const proofOf = (path: ReturnType<typeof inclusionPath>, size: number): string[] =>
    path.map((subtrees) => hex(hashFromTiles(sha256, size, subtrees, read)));
  const numbers = (name: string): [number, number] => name.split(/\D+/).map(Number) as [number, number];
  for (const [name, proof] of Object.entries(published.inclusion)) {
    const [index, size] = numbers(name);
    expect(proofOf(inclusionPath(index, size), size), name).toEqual(proof);
  }
});

test('every proof of every tree of up to 40 leaves verifies, and against no other leaf, place or tree', () => {
  const leaves = leavesUpTo(40);
  const { read } = grown([leaves]);
  const trees = Array.from({ length: 41 }, (_, size) => ({ size, root: rootOf(leaves.slice(0, size)) }));
  for (const tree of trees) {
    expect(hex(rootFromTiles(sha256, tree.size, read))).toBe(hex(tree.root));
    for (let index = 0; index < tree.size; index += 1) {
      const proof = inclusionPath(index, tree.size).map((some) =>
        hashFromTiles(sha256, tree.size, some, read),
      );
      const hash = leaves[index] ?? new Uint8Array();
      const proves = (at: number, of: typeof tree, by = proof, leaf = hash): boolean =>
        provesInclusion(sha256, { hash: leaf, index: at }, of, by);
      expect(proves(index, tree)).toBe(true);
      expect(proves(index, tree, proof, sha256('another'))).toBe(false);
      expect(proves(index + 1, tree)).toBe(false);
      expect(proves(index, tree, [...proof, hash])).toBe(false);
      if (proof.length > 0) expect(proves(index, tree, proof.slice(1))).toBe(false);
      expect(proves(index, { ...tree, root: sha256('another') })).toBe(false);
    }
  }
});

test('a tree is the same however it grew, and its proofs read only tiles that it has', () => {
  const leaves = leavesUpTo(70_000);
  const whole = grown([leaves]);
  expect(hex(rootFromTiles(sha256, 70_000, whole.read))).toBe(hex(rootOf(leaves)));
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 8 }), fc.nat(), (steps, one) => {
      let at = 0;
      const { size, read, tiles } = grown(
        steps.map((count) => {
          at += count;
          return leaves.slice(at - count, at);
        }),
      );
      expect(hex(rootFromTiles(sha256, size, read))).toBe(hex(rootOf(leaves.slice(0, size))));
      for (const { level, index, hashes } of tiles.values())
        expect(hashes.length).toBe(32 * widthIn(size, level, index));
      if (size === 0) return;
      const index = one % size;
      const inclusion = inclusionPath(index, size);
      expect(tilesOf(inclusion.flat()).every((tile) => tiles.has(`${tile.level}/${tile.index}`))).toBe(true);
      const tree = { size, root: rootOf(leaves.slice(0, size)) };
      const hash = leaves[index] ?? new Uint8Array();
      const proof = inclusion.map((some) => hashFromTiles(sha256, size, some, read));
      expect(provesInclusion(sha256, { hash, index }, tree, proof)).toBe(true);
    }),
    { numRuns: 30 },
  );
  expect([...whole.tiles.keys()].sort()).toEqual(
    [...Array.from({ length: 274 }, (_, at) => `0/${at}`), '1/0', '1/1', '2/0'].sort(),
  );
  expect(subtreesOf(0, 6)).toEqual([
    { level: 2, index: 0 },
    { level: 1, index: 2 },
  ]);
});

test('the path of a tile is the one of tlog-tiles, and no other text is one', () => {
  const paths = [
    [0, 0, 256, 'tile/0/000'],
    [1, 1_234_067, 256, 'tile/1/x001/x234/067'],
    ['entries', 12, 256, 'tile/entries/012'],
    [0, 273, 112, 'tile/0/273.p/112'],
    [0, 1000, 1, 'tile/0/x001/000.p/1'],
  ] as const;
  for (const [level, index, width, path] of paths) {
    expect(readTilePath(path)).toEqual({ level, index, width });
  }
  const others = [
    'tile/0/0',
    'tile/00/000',
    'tile/0/x000/001',
    'tile/0/000.p/0',
    'tile/0/000.p/256',
    'tile/0/000.p/01',
    'tile/x/000',
    'tile/0/../000',
    '',
  ];
  expect(others.map(readTilePath)).toEqual(others.map(() => undefined));
});

test('reads and verifies the note that golang.org/x/mod/sumdb/note publishes as its example', () => {
  const note =
    "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n" +
    '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n';
  const key = Buffer.from('ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW', 'base64').subarray(1);
  const read = readNote(note);
  const [signature] = read?.signatures ?? [];
  expect(read && noteText(read)).toBe(note);
  expect(hex(noteKeyId(sha256, 'PeterNeumann', key))).toBe('c74f20a3');
  expect(signature && hex(signature.keyId)).toBe('c74f20a3');
  const publicKey = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: key.toString('base64url') },
    format: 'jwk',
  });
  expect(verify(null, Buffer.from(read?.text ?? ''), publicKey, signature?.signature ?? Buffer.of())).toBe(
    true,
  );
  expect(verify(null, Buffer.from('another'), publicKey, signature?.signature ?? Buffer.of())).toBe(false);
});

test('a tree head is read as it was written, and nothing else is one', () => {
  const head = { origin: 'ambit/cluster', size: 20_852_163, root: sha256('root') };
  const text = treeHeadText(head);
  expect(text).toBe(`ambit/cluster\n20852163\n${Buffer.from(head.root).toString('base64')}\n`);
  expect(readTreeHead(text)).toEqual(head);
  expect(readTreeHead(`${text}an extension\n`)).toEqual(head);
  const others = [
    text.trim(),
    text.replace('20852163', '020'),
    text.replace('20852163', '-1'),
    `\n1\n${base64(head.root)}\n`,
    'a\n1\nAAAA\n',
    '',
  ];
  expect(others.map(readTreeHead)).toEqual(others.map(() => undefined));
  const notes = [
    '',
    'text\n',
    'text\n\n',
    'text\n\n— name\n',
    'text\n\n— name AAAA\n',
    'text\n\n- name AAAAAAAA\n',
    'text\n\n— na+me AAAAAAAA\n',
  ];
  expect(notes.map(readNote)).toEqual(notes.map(() => undefined));
  expect(['AAAA', 'AA==', 'AA', 'AB==', '%'].map((encoded) => bytesOf(encoded)?.length)).toEqual([
    3,
    1,
    undefined,
    undefined,
    undefined,
  ]);
});
