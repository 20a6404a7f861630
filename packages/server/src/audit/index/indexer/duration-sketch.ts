/**
 * A histogram of durations with buckets that grow by 2 %. A percentile from it is within 1 % of an
 * actual duration. Sketches of parts add up to the sketch of the whole, regardless of the division.
 */
export class DurationSketch {
  readonly #counts = new Map<number, number>();

  add(durationMs: number): void {
    this.#count(bucketOf(durationMs), 1);
  }

  /** Adds another sketch from its bytes. Throws if they are not a sketch. */
  addBytes(bytes: Uint8Array): void {
    if (bytes.byteLength % 8 !== 0) throw new Error('a sketch consists of pairs of 32-bit numbers');
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

  /** The percentiles that statistics show, in milliseconds; `null` if there are no durations. */
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
/** Durations below a microsecond share bucket 0. */
const least = Math.floor(Math.log(0.001) / Math.log(growth));

function bucketOf(durationMs: number): number {
  return durationMs < 0.001 ? least : Math.ceil(Math.log(durationMs) / Math.log(growth));
}

/** The value with the same relative error at both ends of its bucket. */
function middleOf(bucket: number): number {
  return bucket === least ? 0 : (2 * growth ** bucket) / (1 + growth);
}
