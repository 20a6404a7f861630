/**
 * Durations counted in buckets that grow by 2 %: a percentile told from them is within 1 % of a duration that there was.
 * Sketches of parts add up to the sketch of the whole, however they were divided.
 */
export class DurationSketch {
  readonly #counts = new Map<number, number>();

  add(durationMs: number): void {
    this.#count(bucketOf(durationMs), 1);
  }

  /** Adds what `bytes` made of another. Throws when they are none of these. */
  addBytes(bytes: Uint8Array): void {
    if (bytes.byteLength % 8 !== 0) throw new Error('a sketch is pairs of 32-bit numbers');
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at < bytes.byteLength; at += 8)
      this.#count(view.getInt32(at, true), view.getUint32(at + 4, true));
  }

  /** Pairs of bucket and count, 32 bits each, little-endian. */
  toBytes(): Uint8Array {
    const view = new DataView(new ArrayBuffer(this.#counts.size * 8));
    let at = 0;
    for (const [bucket, count] of this.#counts) {
      view.setInt32(at, bucket, true);
      view.setUint32(at + 4, count, true);
      at += 8;
    }
    return new Uint8Array(view.buffer);
  }

  /** The medians and tails that statistics show, in milliseconds; `null` when there are no durations. */
  percentiles(): { p50: number; p95: number; p99: number } | null {
    const counts = [...this.#counts].sort(([a], [b]) => a - b);
    const total = counts.reduce((sum, [, count]) => sum + count, 0);
    if (total === 0) return null;
    const at = (percent: number): number => {
      let left = Math.ceil((percent / 100) * total);
      for (const [bucket, count] of counts) {
        left -= count;
        if (left <= 0) return middleOf(bucket);
      }
      return 0;
    };
    return { p50: at(50), p95: at(95), p99: at(99) };
  }

  #count(bucket: number, by: number): void {
    this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + by);
  }
}

const growth = 1.02;
/** Below a microsecond there is nothing to tell apart: this bucket is 0. */
const least = Math.floor(Math.log(0.001) / Math.log(growth));

function bucketOf(durationMs: number): number {
  return durationMs < 0.001 ? least : Math.ceil(Math.log(durationMs) / Math.log(growth));
}

/** The value that is off by as little from either end of its bucket, relative to them. */
function middleOf(bucket: number): number {
  return bucket === least ? 0 : (2 * growth ** bucket) / (1 + growth);
}
