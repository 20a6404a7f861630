import { JsonWriter, Text } from '@ambit/as-sdk';
import { Changes } from './changes';
import { Lines } from './lines';

/** The size of a diff, in lines and hunks. */
@final
export class Tally {
  added: i32 = 0;
  removed: i32 = 0;
  hunks: i32 = 0;
}

/**
 * Appends the unified diff (POSIX `diff -u`) to the writer's open string; nothing if the texts are
 * equal. Changes with at most twice `context` lines between them share a hunk.
 */
export function writeUnified(
  before: Side,
  after: Side,
  changes: Changes,
  context: i32,
  writer: JsonWriter,
): Tally {
  const tally = new Tally();
  const hunk = new Hunk(before.lines, after.lines, changes);
  while (hunk.next(context)) {
    if (tally.hunks++ == 0) {
      writeName('--- ', before.name, writer);
      writeName('+++ ', after.name, writer);
    }
    writeRange('@@ -', hunk.before, hunk.beforeEnd, writer);
    writeRange(' +', hunk.after, hunk.afterEnd, writer);
    writer.appendAscii(' @@\n');
    writeHunk(hunk, tally, writer);
  }
  return tally;
}

/** One of the two texts, and its name in the diff's header. */
@final
export class Side {
  constructor(
    readonly name: Text,
    readonly lines: Lines,
  ) {}
}

/**
 * A section of both texts, from `before` up to `beforeEnd` and from `after` up to `afterEnd`:
 * changes and their context.
 */
@final
class Hunk {
  before: i32 = 0;
  beforeEnd: i32 = 0;
  after: i32 = 0;
  afterEnd: i32 = 0;

  constructor(
    readonly left: Lines,
    readonly right: Lines,
    readonly changes: Changes,
  ) {}

  /** Moves to the next hunk; false if there is none. */
  next(context: i32): bool {
    let before = this.beforeEnd;
    let after = this.afterEnd;
    while (this.isKept(before, after)) {
      before++;
      after++;
    }
    if (before == this.left.count && after == this.right.count) return false;

    const lead = min(context, before - this.beforeEnd);
    this.before = before - lead;
    this.after = after - lead;
    while (true) {
      while (this.isRemoved(before)) before++;
      while (this.isAdded(after)) after++;
      let kept = 0;
      while (kept <= 2 * context && this.isKept(before + kept, after + kept)) kept++;
      const last = before + kept == this.left.count && after + kept == this.right.count;
      if (last || kept > 2 * context) {
        this.beforeEnd = before + min(kept, context);
        this.afterEnd = after + min(kept, context);
        return true;
      }
      before += kept;
      after += kept;
    }
  }

  isRemoved(line: i32): bool {
    return line < this.left.count && unchecked(this.changes.removed[line]);
  }

  isAdded(line: i32): bool {
    return line < this.right.count && unchecked(this.changes.added[line]);
  }

  private isKept(before: i32, after: i32): bool {
    return (
      before < this.left.count && after < this.right.count && !this.isRemoved(before) && !this.isAdded(after)
    );
  }
}

function writeHunk(hunk: Hunk, tally: Tally, writer: JsonWriter): void {
  let before = hunk.before;
  let after = hunk.after;
  while (before < hunk.beforeEnd || after < hunk.afterEnd) {
    if (hunk.isRemoved(before)) {
      tally.removed++;
      writeLine('-', hunk.left, before++, writer);
    } else if (hunk.isAdded(after)) {
      tally.added++;
      writeLine('+', hunk.right, after++, writer);
    } else {
      after++;
      writeLine(' ', hunk.left, before++, writer);
    }
  }
}

function writeLine(sign: string, lines: Lines, line: i32, writer: JsonWriter): void {
  const end = lines.endOf(line);
  writer.appendAscii(sign);
  writer.append(lines.startOf(line), end);
  if (load<u8>(end - 1) != 0x0a) writer.appendAscii('\n\\ No newline at end of file\n');
}

/**
 * Lines count from 1. A range of one line omits its length; an empty range names the line before
 * it.
 */
function writeRange(opening: string, start: i32, end: i32, writer: JsonWriter): void {
  writer.appendAscii(opening);
  writer.appendInteger(start == end ? start : start + 1);
  if (end - start == 1) return;
  writer.appendAscii(',');
  writer.appendInteger(end - start);
}

/**
 * As in GNU diff: an ambiguous name is quoted like a C string, and a name with a space is followed
 * by a tab.
 */
function writeName(opening: string, name: Text, writer: JsonWriter): void {
  let quoted = false;
  let spaced = false;
  for (let at = name.start; at < name.end; at++) {
    const byte = load<u8>(at);
    if (byte < 0x20 || byte == 0x7f || byte == 0x22 || byte == 0x5c) quoted = true;
    if (byte == 0x20) spaced = true;
  }
  writer.appendAscii(opening);
  if (quoted) writeQuoted(name, writer);
  else writer.append(name.start, name.end);
  writer.appendAscii(spaced && !quoted ? '\t\n' : '\n');
}

function writeQuoted(name: Text, writer: JsonWriter): void {
  let plain = name.start;
  writer.appendAscii('"');
  for (let at = name.start; at < name.end; at++) {
    const byte = load<u8>(at);
    if (byte >= 0x20 && byte != 0x7f && byte != 0x22 && byte != 0x5c) continue;
    writer.append(plain, at);
    plain = at + 1;
    writer.appendAscii('\\');
    if (byte == 0x22 || byte == 0x5c) {
      writer.append(at, at + 1);
    } else {
      writer.appendInteger(byte >> 6);
      writer.appendInteger((byte >> 3) & 7);
      writer.appendInteger(byte & 7);
    }
  }
  writer.append(plain, name.end);
  writer.appendAscii('"');
}
