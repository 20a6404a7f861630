import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readOrdinaryFile, syncFolder, writeDurably } from '@ambit/runtime';
import { type Claim, claimFile, claimIn } from './claim.ts';
import { type ClaimBounds, type ClaimSize, claimSums } from './claim-sums.ts';
import { keyedMutex } from './keyed-mutex.ts';

/** Claims in a folder, one file each. `owner` and `name` are hexadecimal. */
export interface ClaimFiles {
  /** `undefined` if there is none. Rejects with the error of the file or the disk. */
  read(owner: string, name: string): Promise<Claim | undefined>;
  /**
   * Resolves when the claim is durable. A reader finds the old claim or the new one, never a part. To make
   * space, removes older responses; their claims stay, so their calls do not run again. Rejects if there is
   * still no space, or with the error of the disk; then the old claim is unchanged.
   */
  write(owner: string, name: string, claim: Claim): Promise<void>;
  remove(owner: string, name: string): Promise<void>;
  /** Removes claims last written before `time`, and drafts left by a crash, except names that are `isBusy`. */
  removeOlderThan(time: number, isBusy: (name: string) => boolean): Promise<void>;
}

const form = /^([0-9a-f]{16})-([0-9a-f]{64})\.json$/;

/** The claims in `folder`, which the first write creates with mode 700. */
export async function openClaimFiles(folder: string, bounds: ClaimBounds): Promise<ClaimFiles> {
  const sums = claimSums(bounds);
  for (const { file, owner, bytes } of await oldestFirst(folder)) sums.note(owner, file, bytes);
  const byFile = keyedMutex();
  const makingSpace = keyedMutex();

  const put = async (file: string, content: Uint8Array): Promise<void> => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeDurably(join(folder, file), content);
    // Makes the creation or removal of a claim survive a power failure.
    await syncFolder(folder);
  };
  const remove = async (owner: string, file: string): Promise<void> =>
    byFile(file, async () => {
      await rm(join(folder, file), { force: true });
      sums.note(owner, file, undefined);
    });
  const removeResponse = async (owner: string, file: string): Promise<void> =>
    byFile(file, async () => {
      // An unreadable claim stays, because its call is unknown.
      const claim = await claimAt(join(folder, file)).catch(() => undefined);
      // Another call may have claimed it in the meantime.
      if (claim === undefined || claim.ending === null) return;
      const content = claimFile({ ...claim, ending: null });
      await put(file, content);
      sums.note(owner, file, content.length);
    });
  /** Counts the space before it is written, so parallel writes stay within the limits together. */
  const reserveSpace = async (size: ClaimSize): Promise<void> => {
    const tried = new Set<string>();
    while (!sums.hasSpaceFor(size)) {
      const oldest = sums.oldestFor(size, tried);
      if (oldest === undefined) throw new Error('the limits for stored responses are reached');
      tried.add(oldest.file);
      await removeResponse(oldest.owner, oldest.file);
    }
    sums.note(size.owner, size.file, size.bytes);
  };

  return {
    read: (owner, name) => claimAt(join(folder, fileOf(owner, name))),
    async write(owner, name, claim) {
      const file = fileOf(owner, name);
      const content = claimFile(claim);
      const before = sums.bytesOf(owner, file);
      await makingSpace('', () => reserveSpace({ owner, file, bytes: content.length }));
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
        // Checked after `stat`: a claim made in the meantime is busy or rewritten.
        if (name === '' || isBusy(name)) continue;
        if (file.endsWith('.new')) await rm(join(folder, file), { force: true });
        else if (written !== undefined && written < time) await remove(owner, file);
      }
    },
  };
}

/** The existing claims, sorted by the time of their last write. */
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
