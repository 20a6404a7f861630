const tickNs = 20_000_000n;
const secondNs = 1_000_000_000n;

/**
 * Whether a file whose inode last changed at `ctimeNs`, seen at `nowMs`, would get a different time
 * from another change. File systems count time in ticks of up to 10 ms on Linux, and two changes
 * within a tick look alike. A time without a fraction may mean that the file system counts in
 * seconds, or in steps of two.
 */
export function isSettled(ctimeNs: bigint, nowMs: number): boolean {
  const uncertain = ctimeNs % secondNs === 0n ? 2n * secondNs + tickNs : tickNs;
  return ctimeNs + uncertain < BigInt(Math.floor(nowMs)) * 1_000_000n;
}
