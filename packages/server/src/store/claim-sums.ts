import type { OwnerSum } from './operations/claims.ts';

/** The limits for stored claims, in total and per owner. Only responses count as bytes. */
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

/** The sums of stored claims, counted in memory because each sum in the database would read every claim. */
export interface ClaimSums {
  add(owner: string, more: { claims?: number; bytes?: number }): void;
  /** Reads the sums again, and adds what changes meanwhile. */
  reload(read: () => Promise<readonly OwnerSum[]>): Promise<void>;
  /** Whether the owner can have no further claim. */
  isFull(owner: string): boolean;
  /**
   * Before the owner can store `bytes` more: whose oldest responses to drop, and how many of their bytes. Above its own limit
   * the owner's, otherwise the responses of the owner with the most. `undefined`: there is space.
   */
  excess(owner: string, bytes: number): { owner: string; bytes: number } | undefined;
}

/** Starts without claims. */
export function claimSums({ countMax, ownerCountMax, bytesMax, ownerBytesMax }: ClaimBounds): ClaimSums {
  const owners = new Map<string, { claims: number; bytes: number }>();
  const total = { claims: 0, bytes: 0 };
  /** Changes since a reload began. */
  let recent: OwnerSum[] | undefined;

  const sumOf = (owner: string) => owners.get(owner) ?? { claims: 0, bytes: 0 };
  const change = ({ owner, claims, bytes }: OwnerSum): void => {
    const own = sumOf(owner);
    own.claims += claims;
    own.bytes += bytes;
    total.claims += claims;
    total.bytes += bytes;
    if (own.claims > 0 || own.bytes > 0) owners.set(owner, own);
    else owners.delete(owner);
  };

  return {
    add(owner, { claims = 0, bytes = 0 }) {
      change({ owner, claims, bytes });
      recent?.push({ owner, claims, bytes });
    },
    async reload(read) {
      recent = [];
      try {
        const stored = await read();
        owners.clear();
        Object.assign(total, { claims: 0, bytes: 0 });
        for (const sum of [...stored, ...recent]) change(sum);
      } finally {
        recent = undefined;
      }
    },
    isFull: (owner) => total.claims >= countMax || sumOf(owner).claims >= ownerCountMax,
    excess(owner, bytes) {
      const ownExcess = sumOf(owner).bytes + bytes - ownerBytesMax;
      if (ownExcess > 0) return { owner, bytes: ownExcess };
      const excess = total.bytes + bytes - bytesMax;
      if (excess <= 0) return undefined;
      let [most, next] = [{ owner, bytes: sumOf(owner).bytes + bytes }, 0];
      for (const [other, sum] of owners) {
        if (other === owner) continue;
        if (sum.bytes > most.bytes) [most, next] = [{ owner: other, bytes: sum.bytes }, most.bytes];
        else next = Math.max(next, sum.bytes);
      }
      // As much as the owner has more than the next one, and then from both in turn.
      const share = Math.max(most.bytes - next, Math.ceil(excess / 8));
      return { owner: most.owner, bytes: Math.min(excess, share) };
    },
  };
}
