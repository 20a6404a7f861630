/** How much may lie on disk, in all and of one owner. */
export interface ClaimBounds {
  most: number;
  mostOfOne: number;
  bytesMax: number;
  bytesMostOfOne: number;
}

/** As a daemon has them. */
export const claimBounds: ClaimBounds = {
  most: 100_000,
  mostOfOne: 50_000,
  bytesMax: 512 * 1024 * 1024,
  bytesMostOfOne: 256 * 1024 * 1024,
};

/** A file that is to be written. */
export interface ClaimSize {
  owner: string;
  file: string;
  bytes: number;
}

/** What lies on disk, of each owner. */
export interface ClaimSums {
  /** `undefined`: there is no such file. */
  bytesOf(owner: string, file: string): number | undefined;
  /** It is the one that was written last. `undefined`: it is gone. */
  note(owner: string, file: string, bytes: number | undefined): void;
  /** Whether there is room for it, in the place of the file of that name. */
  hasRoomFor(size: ClaimSize): boolean;
  /**
   * Whose answer goes to make room for it: the oldest of its owner when that one has too much, otherwise the oldest of
   * the owner that has most. None that was `tried`; `undefined` when no such helps.
   */
  oldestFor(size: ClaimSize, tried: ReadonlySet<string>): { owner: string; file: string } | undefined;
}

/** A claim without an answer is less; letting go of an answer that is hardly more makes no room. */
const bareBytesMax = 1024;

interface Own {
  /** Bytes by the file's name, in the order in which they were written. */
  files: Map<string, number>;
  bytes: number;
}

/** Nothing lies there. */
export function claimSums(bounds: ClaimBounds): ClaimSums {
  const owners = new Map<string, Own>();
  let [count, bytes] = [0, 0];

  const ownOf = (owner: string): Own => owners.get(owner) ?? { files: new Map(), bytes: 0 };
  const fits = (size: ClaimSize) => {
    const own = ownOf(size.owner);
    const before = own.files.get(size.file);
    const more = size.bytes - (before ?? 0);
    return {
      many: before !== undefined || (count < bounds.most && own.files.size < bounds.mostOfOne),
      own: own.bytes + more <= bounds.bytesMostOfOne,
      all: bytes + more <= bounds.bytesMax,
    };
  };
  const greatest = (size: ClaimSize): string => {
    let [most, mostBytes] = [size.owner, ownOf(size.owner).bytes + size.bytes];
    for (const [owner, own] of owners)
      if (owner !== size.owner && own.bytes > mostBytes) [most, mostBytes] = [owner, own.bytes];
    return most;
  };

  return {
    bytesOf: (owner, file) => owners.get(owner)?.files.get(file),
    note(owner, file, size) {
      const own = ownOf(owner);
      const before = own.files.get(file);
      const more = (size ?? 0) - (before ?? 0);
      bytes += more;
      own.bytes += more;
      count += (size === undefined ? 0 : 1) - (before === undefined ? 0 : 1);
      own.files.delete(file);
      if (size !== undefined) own.files.set(file, size);
      if (own.files.size === 0) owners.delete(owner);
      else owners.set(owner, own);
    },
    hasRoomFor(size) {
      const { many, own, all } = fits(size);
      return many && own && all;
    },
    oldestFor(size, tried) {
      const { many, own } = fits(size);
      // There is no room for it even alone.
      if (!many || size.bytes > Math.min(bounds.bytesMax, bounds.bytesMostOfOne)) return undefined;
      const owner = own ? greatest(size) : size.owner;
      for (const [file, itsBytes] of ownOf(owner).files)
        if (itsBytes > bareBytesMax && file !== size.file && !tried.has(file)) return { owner, file };
      return undefined;
    },
  };
}
