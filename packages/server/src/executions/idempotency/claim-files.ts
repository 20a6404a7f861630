import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readOrdinaryFile, syncFolder, writeDurably } from '@ambit/runtime';
import { Claim } from './claim.ts';

/** How much may lie on disk, in all and of one owner. */
export interface ClaimBounds {
  most: number;
  mostOfOne: number;
  bytesMost: number;
  bytesMostOfOne: number;
}

/** As a daemon has them. */
export const claimBounds: ClaimBounds = {
  most: 100_000,
  mostOfOne: 50_000,
  bytesMost: 512 * 1024 * 1024,
  bytesMostOfOne: 256 * 1024 * 1024,
};

/** Claims in a folder, a file each. `owner` and `name` are hexadecimal. */
export interface ClaimFiles {
  /** `undefined` where there is none. Rejects with what is wrong with the file, or the disk. */
  read(owner: string, name: string): Promise<Claim | undefined>;
  /** Resolves when it is durable: a reader finds the old one or this, never half of it. */
  write(owner: string, name: string, claim: Claim): Promise<void>;
  remove(owner: string, name: string): Promise<void>;
  /** Whether one more of this owner would be within the bounds. */
  hasRoomFor(owner: string): boolean;
  /** Removes those that were last written before `time`, but for what `isBusy`, and drafts that a crash has left. */
  removeOlderThan(time: number, isBusy: (name: string) => boolean): Promise<void>;
}

const form = /^([0-9a-f]{16})-([0-9a-f]{64})\.json$/;

/** The claims that lie in `folder`, which is made (mode 700) when the first is written. */
export async function openClaimFiles(folder: string, bounds: ClaimBounds): Promise<ClaimFiles> {
  const sizes = new Map<string, number>();
  const owners = new Map<string, { count: number; bytes: number }>();
  let bytes = 0;

  /** Keeps the sums; `undefined`: it is gone. */
  const noteSize = (owner: string, file: string, size: number | undefined): void => {
    const before = sizes.get(file);
    const sums = owners.get(owner) ?? { count: 0, bytes: 0 };
    const more = (size ?? 0) - (before ?? 0);
    bytes += more;
    sums.bytes += more;
    sums.count += (size === undefined ? 0 : 1) - (before === undefined ? 0 : 1);
    owners.set(owner, sums);
    if (sums.count === 0) owners.delete(owner);
    if (size === undefined) sizes.delete(file);
    else sizes.set(file, size);
  };
  for (const file of await filesIn(folder)) {
    const [, owner] = form.exec(file) ?? [];
    const size = (await stat(join(folder, file)).catch(() => undefined))?.size;
    if (owner !== undefined && size !== undefined) noteSize(owner, file, size);
  }
  const remove = async (owner: string, file: string): Promise<void> => {
    await rm(join(folder, file), { force: true });
    noteSize(owner, file, undefined);
  };

  return {
    async read(owner, name) {
      const text = await textOf(join(folder, fileOf(owner, name)));
      return text === undefined ? undefined : Claim.parse(JSON.parse(text));
    },
    async write(owner, name, claim) {
      const text = JSON.stringify(claim);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeDurably(join(folder, fileOf(owner, name)), text);
      // So that a claim is there after a loss of power, and one that was taken back is not.
      await syncFolder(folder);
      noteSize(owner, fileOf(owner, name), Buffer.byteLength(text));
    },
    async remove(owner, name) {
      await remove(owner, fileOf(owner, name));
      await syncFolder(folder);
    },
    hasRoomFor(owner) {
      const own = owners.get(owner) ?? { count: 0, bytes: 0 };
      return (
        sizes.size < bounds.most &&
        bytes < bounds.bytesMost &&
        own.count < bounds.mostOfOne &&
        own.bytes < bounds.bytesMostOfOne
      );
    },
    async removeOlderThan(time, isBusy) {
      for (const file of await filesIn(folder)) {
        const [, owner = '', name = ''] = form.exec(file.replace(/\.new$/, '')) ?? [];
        const written = (await stat(join(folder, file)).catch(() => undefined))?.mtimeMs;
        // Looked at last: one that is claimed meanwhile is written afresh.
        if (name === '' || isBusy(name)) continue;
        if (file.endsWith('.new')) await rm(join(folder, file), { force: true });
        else if (written !== undefined && written < time) await remove(owner, file);
      }
    },
  };
}

async function filesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}

function fileOf(owner: string, name: string): string {
  return `${owner}-${name}.json`;
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return (await readOrdinaryFile(file)).toString();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
