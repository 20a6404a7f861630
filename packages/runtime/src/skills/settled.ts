const tickNs = 20_000_000n;
const secondNs = 1_000_000_000n;

/**
 * Whether a file whose inode last changed at `ctimeNs`, as it was seen at `nowMs`, would show another change by another
 * time. A file system counts time in ticks, of up to 10 ms on Linux; two changes within one look alike. Where a time has
 * no fraction of a second the file system may count in seconds, or two.
 */
export function isSettled(ctimeNs: bigint, nowMs: number): boolean {
  const uncertain = ctimeNs % secondNs === 0n ? 2n * secondNs + tickNs : tickNs;
  return ctimeNs + uncertain < BigInt(Math.floor(nowMs)) * 1_000_000n;
}
