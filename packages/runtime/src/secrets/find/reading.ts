/** A decoded version of a text, with the source position of every byte. */
export interface Reading {
  bytes: Buffer;
  /** The beginning and end of a byte's source in the text. */
  from(index: number): number;
  to(index: number): number;
  /** The end of the text that was read. The rest is an unfinished escape. */
  end: number;
}

/** The text itself. */
export function plainReading(text: Buffer): Reading {
  return { bytes: text, from: (index) => index, to: (index) => index + 1, end: text.length };
}

/** Builds a reading from left to right. */
export interface ReadingBuilder {
  /** Copies the text up to `end`. */
  copy(end: number): void;
  /** Replaces the text up to `end` with `bytes`, which must be fewer. */
  replace(end: number, bytes: readonly number[]): void;
  done(): Reading;
}

/** Starts a reading of `text`. */
export function editing(text: Buffer): ReadingBuilder {
  const bytes = Buffer.allocUnsafe(text.length);
  // The beginning of each part, in `bytes` and in the text.
  const indexes: number[] = [];
  const places: number[] = [];
  let count = 0;
  let read = 0;
  const begin = (): void => {
    indexes.push(count);
    places.push(read);
  };
  return {
    copy(end) {
      if (end === read) return;
      begin();
      // Most parts are too short for a native copy to be faster.
      const ahead = count - read;
      for (let at = read; at < end; at++) bytes[at + ahead] = text[at] ?? 0;
      [count, read] = [end + ahead, end];
    },
    replace(end, others) {
      begin();
      for (let index = 0; index < others.length; index++) bytes[count + index] = others[index] ?? 0;
      [count, read] = [count + others.length, end];
    },
    done() {
      begin();
      const from = (index: number): number => {
        const part = partOf(indexes, index);
        const place = places[part] ?? 0;
        return isCopied(part) ? place + index - (indexes[part] ?? 0) : place;
      };
      const to = (index: number): number => {
        const part = partOf(indexes, index);
        return isCopied(part) ? from(index) + 1 : (places[part + 1] ?? 0);
      };
      // A replacement is shorter than its source.
      const isCopied = (part: number): boolean =>
        part === indexes.length - 1 ||
        (indexes[part + 1] ?? 0) - (indexes[part] ?? 0) === (places[part + 1] ?? 0) - (places[part] ?? 0);
      return { bytes: bytes.subarray(0, count), from, to, end: read };
    },
  };
}

/** The last part that begins at or before an index. */
function partOf(indexes: readonly number[], index: number): number {
  let [low, high] = [0, indexes.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((indexes[middle] ?? 0) <= index) low = middle;
    else high = middle - 1;
  }
  return low;
}
