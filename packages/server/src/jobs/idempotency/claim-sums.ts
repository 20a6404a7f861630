/** The limits for claims on disk, in total and per owner. */
export interface ClaimBounds {
  countMax: number;
  ownerCountMax: number;
  bytesMax: number;
  ownerBytesMax: number;
}

/** The limits of a daemon. */
export const claimBounds: ClaimBounds = {
  countMax: 100_000,
  ownerCountMax: 50_000,
  bytesMax: 512 * 1024 * 1024,
  ownerBytesMax: 256 * 1024 * 1024,
};

/** A file to be written. */
export interface ClaimSize {
  owner: string;
  file: string;
  bytes: number;
}

/** The sizes of claims on disk, per owner. */
export interface ClaimSums {
  /** `undefined` if the file does not exist. */
  bytesOf(owner: string, file: string): number | undefined;
  /** Records a write, which makes the file its owner's latest; `undefined` records its removal. */
  note(owner: string, file: string, bytes: number | undefined): void;
  /** Whether the file fits, replacing an existing one of that name. */
  hasSpaceFor(size: ClaimSize): boolean;
  /**
   * The file whose response is to be removed to make space: the oldest of the same owner if that owner is
   * over its limit, otherwise the oldest of the owner with the most bytes. Skips `tried` files. `undefined`
   * if no removal helps.
   */
  oldestFor(size: ClaimSize, tried: ReadonlySet<string>): { owner: string; file: string } | undefined;
}

/** More than a claim without a response has. Removing the response of a file up to this size frees little. */
const bareBytesMax = 1024;

interface Own {
  /** Bytes by file name, in the order of writing. */
  files: Map<string, number>;
  bytes: number;
}

/** Starts without claims. */
export function claimSums(bounds: ClaimBounds): ClaimSums {
  const owners = new Map<string, Own>();
  let [count, bytes] = [0, 0];

  const ownOf = (owner: string): Own => owners.get(owner) ?? { files: new Map(), bytes: 0 };
  const fits = (size: ClaimSize) => {
    const own = ownOf(size.owner);
    const before = own.files.get(size.file);
    const more = size.bytes - (before ?? 0);
    return {
      many: before !== undefined || (count < bounds.countMax && own.files.size < bounds.ownerCountMax),
      own: own.bytes + more <= bounds.ownerBytesMax,
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
    hasSpaceFor(size) {
      const { many, own, all } = fits(size);
      return many && own && all;
    },
    oldestFor(size, tried) {
      const { many, own } = fits(size);
      // It would not fit even alone.
      if (!many || size.bytes > Math.min(bounds.bytesMax, bounds.ownerBytesMax)) return undefined;
      const owner = own ? greatest(size) : size.owner;
      for (const [file, itsBytes] of ownOf(owner).files)
        if (itsBytes > bareBytesMax && file !== size.file && !tried.has(file)) return { owner, file };
      return undefined;
    },
  };
}
