import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readOrdinaryFile, syncFolder, writeDurably } from '@ambit/runtime';
import { type Claim, claimFile, claimIn } from './claim.ts';
import { type ClaimBounds, type ClaimSize, claimSums } from './claim-sums.ts';
import { keyedMutex } from './keyed-mutex.ts';

/** Claims in a folder, a file each. `owner` and `name` are hexadecimal. */
export interface ClaimFiles {
  /** `undefined` where there is none. Rejects with what is wrong with the file, or the disk. */
  read(owner: string, name: string): Promise<Claim | undefined>;
  /**
   * Resolves when it is durable: a reader finds the old one or this, never half of it. Older answers that take its room
   * are let go, and the claims that they were under stay, so that what they answered is not run again. Rejects when there
   * is no room nevertheless, or with what is wrong with the disk; then the old one is there.
   */
  write(owner: string, name: string, claim: Claim): Promise<void>;
  remove(owner: string, name: string): Promise<void>;
  /** Removes those that were last written before `time`, but for what `isBusy`, and drafts that a crash has left. */
  removeOlderThan(time: number, isBusy: (name: string) => boolean): Promise<void>;
}

const form = /^([0-9a-f]{16})-([0-9a-f]{64})\.json$/;

/** The claims that lie in `folder`, which is made (mode 700) when the first is written. */
export async function openClaimFiles(folder: string, bounds: ClaimBounds): Promise<ClaimFiles> {
  const sums = claimSums(bounds);
  for (const { file, owner, bytes } of await oldestFirst(folder)) sums.note(owner, file, bytes);
  const byFile = keyedMutex();
  const makingRoom = keyedMutex();

  const put = async (file: string, content: Uint8Array): Promise<void> => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeDurably(join(folder, file), content);
    // So that a claim is there after a loss of power, and one that was taken back is not.
    await syncFolder(folder);
  };
  const remove = async (owner: string, file: string): Promise<void> =>
    byFile(file, async () => {
      await rm(join(folder, file), { force: true });
      sums.note(owner, file, undefined);
    });
  const letGo = async (owner: string, file: string): Promise<void> =>
    byFile(file, async () => {
      // What cannot be read stays: nobody knows what it is a claim of.
      const claim = await claimAt(join(folder, file)).catch(() => undefined);
      // Another call may have claimed it meanwhile.
      if (claim === undefined || claim.ending === null) return;
      const content = claimFile({ ...claim, ending: null });
      await put(file, content);
      sums.note(owner, file, content.length);
    });
  /** Whatever has room counts from then on, so that many at once come to no more than may be. */
  const takeRoom = async (size: ClaimSize): Promise<void> => {
    const tried = new Set<string>();
    while (!sums.hasRoomFor(size)) {
      const oldest = sums.oldestFor(size, tried);
      if (oldest === undefined) throw new Error('the bounds of kept answers are reached');
      tried.add(oldest.file);
      await letGo(oldest.owner, oldest.file);
    }
    sums.note(size.owner, size.file, size.bytes);
  };

  return {
    read: (owner, name) => claimAt(join(folder, fileOf(owner, name))),
    async write(owner, name, claim) {
      const file = fileOf(owner, name);
      const content = claimFile(claim);
      const before = sums.bytesOf(owner, file);
      await makingRoom('', () => takeRoom({ owner, file, bytes: content.length }));
      try {
        await byFile(file, () => put(file, content));
      } catch (error) {
        sums.note(owner, file, before);
        throw error;
      }
    },
    async remove(owner, name) {
      await remove(owner, fileOf(owner, name));
      await syncFolder(folder);
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

/** Those that lie there already, by when they were last written. */
async function oldestFirst(folder: string): Promise<(ClaimSize & { writtenMs: number })[]> {
  const found = [];
  for (const file of await filesIn(folder)) {
    const [, owner] = form.exec(file) ?? [];
    const its = await stat(join(folder, file)).catch(() => undefined);
    if (owner !== undefined && its !== undefined)
      found.push({ owner, file, bytes: its.size, writtenMs: its.mtimeMs });
  }
  return found.sort((a, b) => a.writtenMs - b.writtenMs);
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

async function claimAt(path: string): Promise<Claim | undefined> {
  try {
    return claimIn(await readOrdinaryFile(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
