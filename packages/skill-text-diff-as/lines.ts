import { Text } from '@ambit/as-sdk';

/**
 * A text split after every line feed. A carriage return and the line feed are part of the line, so
 * a last line without line feed differs from the same line with one. Equal lines of both texts have
 * the same id.
 */
@final
export class Lines {
  readonly count: i32;
  readonly ids: StaticArray<i32>;
  private starts: StaticArray<usize>;

  constructor(text: Text, count: i32) {
    this.count = count;
    this.ids = new StaticArray<i32>(count);
    this.starts = new StaticArray<usize>(count + 1);
    let at = text.start;
    for (let line = 0; line < count; line++) {
      this.starts[line] = at;
      while (at < text.end && load<u8>(at) != 0x0a) at++;
      at++;
    }
    this.starts[count] = text.end;
  }

  @inline startOf(line: i32): usize {
    return unchecked(this.starts[line]);
  }

  @inline endOf(line: i32): usize {
    return unchecked(this.starts[line + 1]);
  }
}

/**
 * The number of lines of a text, or `most` + 1 if it has more; counted before anything is
 * allocated.
 */
export function countLines(text: Text, most: i32): i32 {
  let count = 0;
  for (let at = text.start; at < text.end && count <= most; at++) {
    if (load<u8>(at) == 0x0a || at + 1 == text.end) count++;
  }
  return count;
}

/**
 * Assigns ids, counting from 0, to the lines of both texts, and returns the number of different
 * lines.
 */
export function numberLines(before: Lines, after: Lines): i32 {
  const total = before.count + after.count;
  let size = 16;
  while (size < 2 * total) size <<= 1;
  const table = new LineTable(size, total);
  for (let line = 0; line < before.count; line++) {
    before.ids[line] = table.idOf(before.startOf(line), before.endOf(line));
  }
  for (let line = 0; line < after.count; line++) {
    after.ids[line] = table.idOf(after.startOf(line), after.endOf(line));
  }
  return table.count;
}

/** A hash table with linear probing, from a line's bytes to its id. */
@final
class LineTable {
  count: i32 = 0;
  private slots: StaticArray<i32>;
  private hashes: StaticArray<u32>;
  private starts: StaticArray<usize>;
  private lengths: StaticArray<i32>;

  constructor(
    private size: i32,
    total: i32,
  ) {
    this.slots = new StaticArray<i32>(size);
    this.hashes = new StaticArray<u32>(total);
    this.starts = new StaticArray<usize>(total);
    this.lengths = new StaticArray<i32>(total);
  }

  idOf(start: usize, end: usize): i32 {
    const length = <i32>(end - start);
    const hash = hashOf(start, end);
    const mask = this.size - 1;
    let slot = <i32>hash & mask;
    // A slot contains an id plus one; 0 means that it is free.
    for (; ; slot = (slot + 1) & mask) {
      const id = unchecked(this.slots[slot]) - 1;
      if (id < 0) break;
      if (unchecked(this.hashes[id]) != hash || unchecked(this.lengths[id]) != length) continue;
      if (memory.compare(unchecked(this.starts[id]), start, length) == 0) return id;
    }
    const id = this.count++;
    unchecked((this.hashes[id] = hash));
    unchecked((this.starts[id] = start));
    unchecked((this.lengths[id] = length));
    unchecked((this.slots[slot] = id + 1));
    return id;
  }
}

/**
 * Multiply and fold, eight bytes at a time; the constants are the fractional bits of the golden ratio and of
 * pi.
 */
function hashOf(start: usize, end: usize): u32 {
  let hash: u64 = 0x9e3779b97f4a7c15 ^ (end - start);
  let at = start;
  for (; at + 8 <= end; at += 8) hash = mix(hash ^ load<u64>(at));
  let tail: u64 = 0;
  for (; at < end; at++) tail = (tail << 8) | load<u8>(at);
  hash = mix(hash ^ tail);
  return <u32>(hash ^ (hash >> 32));
}

@inline
function mix(value: u64): u64 {
  const product = value * 0x243f6a8885a308d3;
  return product ^ (product >> 29);
}
