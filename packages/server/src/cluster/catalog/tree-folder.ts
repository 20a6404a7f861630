import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type BlobPiece, batchBytesMax, type TreeFile } from '../../store/operations/trees.ts';
import type { Store } from '../../store/store.ts';

/** The most bytes of a folder that is fetched. */
const treeBytesMax = 1024 * 1024 * 1024;

const readOnly = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Stores a folder under its digest: first the contents that the database lacks. */
export async function uploadTree(store: Pick<Store, 'run'>, digest: string, root: string): Promise<void> {
  const files = await filesIn(root);
  const missing = new Set(await store.run('missingBlobs', files));
  const wanted = files.filter(({ sha256 }) => missing.delete(sha256));
  for (const batch of inBatches(wanted)) {
    const pieces = await Promise.all(
      batch.map(async ({ path, sha256 }) => ({ sha256, start: 0, piece: await readFile(join(root, path)) })),
    );
    await store.run('storeBlobs', pieces);
  }
  for (const { path, sha256, bytes } of wanted)
    if (bytes > batchBytesMax)
      for await (const piece of piecesOf(join(root, path), sha256)) await store.run('storeBlobs', [piece]);
  const left = await store.run('storeTree', digest, files);
  if (left.length > 0) throw new Error(`the files in ${root} changed while they were stored`);
}

/**
 * Writes a stored folder to `into`, which is empty. Returns whether it is stored. Rejects if a content differs from its
 * SHA-256; the caller verifies the digest of the folder.
 */
export async function fetchTree(store: Pick<Store, 'run'>, digest: string, into: string): Promise<boolean> {
  const files = await store.run('treeFiles', digest);
  if (files === undefined) return false;
  if (files.reduce((sum, { bytes }) => sum + bytes, 0) > treeBytesMax)
    throw new Error(`${digest} in the database has more than ${treeBytesMax} bytes`);
  for (const { path } of files) {
    if (!staysInside(path))
      throw new Error(`${digest} in the database has a file outside of its folder: ${JSON.stringify(path)}`);
    await mkdir(dirname(join(into, path)), { recursive: true, mode: 0o700 });
  }
  for (const batch of inBatches(files)) {
    const pieces = await store.run('firstPieces', [...new Set(batch.map(({ sha256 }) => sha256))]);
    const contents = new Map(pieces.map(({ sha256, piece }) => [sha256, piece]));
    for (const file of batch)
      await written(into, file, async (write) => write(contents.get(file.sha256) ?? Buffer.alloc(0)));
  }
  for (const file of files)
    if (file.bytes > batchBytesMax)
      await written(into, file, async (write) => {
        for (let start = 0; start < file.bytes; start += batchBytesMax)
          await write((await store.run('blobPiece', file.sha256, start)) ?? Buffer.alloc(0));
      });
  return true;
}

/** Every file of a folder. Rejects if it has anything but files and folders. */
async function filesIn(root: string): Promise<TreeFile[]> {
  const files: TreeFile[] = [];
  const visit = async (folder: string): Promise<void> => {
    for (const name of (await readdir(join(root, folder))).toSorted()) {
      const path = folder === '' ? name : `${folder}/${name}`;
      const stats = await lstat(join(root, path));
      if (stats.isDirectory()) await visit(path);
      else if (!stats.isFile()) throw new Error(`${join(root, path)} is neither a file nor a folder`);
      else
        files.push({
          path,
          bytes: stats.size,
          mode: (stats.mode & 0o111) === 0 ? 0o644 : 0o755,
          sha256: await sha256Of(join(root, path)),
        });
    }
  };
  await visit('');
  return files;
}

/** The files of at most one piece, in groups of at most one piece together. */
function inBatches(files: readonly TreeFile[]): TreeFile[][] {
  const batches: TreeFile[][] = [];
  let left = 0;
  for (const file of files) {
    if (file.bytes > batchBytesMax) continue;
    if (file.bytes > left || batches.length === 0 || (batches.at(-1)?.length ?? 0) >= 1000) {
      batches.push([]);
      left = batchBytesMax;
    }
    batches.at(-1)?.push(file);
    left -= file.bytes;
  }
  return batches;
}

async function* piecesOf(path: string, sha256: string): AsyncGenerator<BlobPiece> {
  const file = await open(path, readOnly);
  try {
    for (let start = 0; ; ) {
      const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(batchBytesMax), position: start });
      if (bytesRead === 0) return;
      yield { sha256, start, piece: buffer.subarray(0, bytesRead) };
      start += bytesRead;
    }
  } finally {
    await file.close();
  }
}

/** Writes a file from pieces. Rejects if it is not what it should be. */
async function written(
  into: string,
  { path, sha256, bytes, mode }: TreeFile,
  fill: (write: (piece: Uint8Array) => Promise<void>) => Promise<void>,
): Promise<void> {
  const digest = createHash('sha256');
  const file: FileHandle = await open(join(into, path), 'wx', mode & 0o755);
  let size = 0;
  try {
    await fill(async (piece) => {
      size += piece.length;
      digest.update(piece);
      await file.writeFile(piece);
    });
    if (size !== bytes || digest.digest('hex') !== sha256)
      throw new Error(`${JSON.stringify(path)} in the database does not have the SHA-256 ${sha256}`);
  } finally {
    await file.close();
  }
}

async function sha256Of(path: string): Promise<string> {
  const digest = createHash('sha256');
  const file = await open(path, readOnly);
  try {
    for await (const piece of file.createReadStream({ autoClose: false })) digest.update(piece as Buffer);
    return digest.digest('hex');
  } finally {
    await file.close();
  }
}

function staysInside(path: string): boolean {
  return path.split('/').every((part) => !['', '.', '..'].includes(part)) && !path.includes('\0');
}
