import { Lines, numberLines } from './lines';

/**
 * The maximum depth of a search, in edits. Beyond it the diff is still correct, but may not be the
 * shortest.
 */
const DEPTH_MAX = 1024;

/** Marks the lines of a text that are not in the other one: one byte for each. */
@final
export class Changes {
  readonly removed: StaticArray<bool>;
  readonly added: StaticArray<bool>;

  constructor(before: i32, after: i32) {
    this.removed = new StaticArray<bool>(before);
    this.added = new StaticArray<bool>(after);
  }
}

/**
 * Finds the lines to remove and to add. Lines that only one text contains are always changed. The
 * rest is compared by Myers' algorithm in linear space ("An O(ND) Difference Algorithm and Its
 * Variations", 1986, section 4b).
 */
export function compareLines(before: Lines, after: Lines): Changes {
  const different = numberLines(before, after);
  const changes = new Changes(before.count, after.count);
  const left = new Side(before, after, different, changes.removed);
  const right = new Side(after, before, different, changes.added);
  new Comparison(left, right).run();
  return changes;
}

/** The lines of one text that also occur in the other. */
@final
class Side {
  readonly ids: StaticArray<i32>;
  readonly count: i32;
  private origins: StaticArray<i32>;

  constructor(
    lines: Lines,
    other: Lines,
    different: i32,
    private changed: StaticArray<bool>,
  ) {
    const known = new StaticArray<bool>(different);
    for (let line = 0; line < other.count; line++) known[other.ids[line]] = true;
    this.ids = new StaticArray<i32>(lines.count);
    this.origins = new StaticArray<i32>(lines.count);
    let count = 0;
    for (let line = 0; line < lines.count; line++) {
      const id = lines.ids[line];
      if (known[id]) {
        this.ids[count] = id;
        this.origins[count] = line;
        count++;
      } else {
        changed[line] = true;
      }
    }
    this.count = count;
  }

  mark(from: i32, to: i32): void {
    for (let i = from; i < to; i++) this.changed[this.origins[i]] = true;
  }
}

@final
class Comparison {
  /**
   * For each diagonal, the furthest point of a path from the start, and of a path from the end; -1
   * if there is none.
   */
  private ahead: StaticArray<i32>;
  private behind: StaticArray<i32>;
  /** The point where `split` cut. */
  private cutLeft: i32 = 0;
  private cutRight: i32 = 0;

  constructor(
    private left: Side,
    private right: Side,
  ) {
    const diagonals = left.count + right.count + 5;
    this.ahead = new StaticArray<i32>(diagonals);
    this.behind = new StaticArray<i32>(diagonals);
  }

  run(): void {
    this.compare(0, this.left.count, 0, this.right.count);
  }

  private compare(left: i32, leftEnd: i32, right: i32, rightEnd: i32): void {
    const a = this.left.ids;
    const b = this.right.ids;
    while (true) {
      while (left < leftEnd && right < rightEnd && unchecked(a[left]) == unchecked(b[right])) {
        left++;
        right++;
      }
      while (left < leftEnd && right < rightEnd && unchecked(a[leftEnd - 1]) == unchecked(b[rightEnd - 1])) {
        leftEnd--;
        rightEnd--;
      }
      if (left == leftEnd || right == rightEnd) break;
      this.split(left, leftEnd, right, rightEnd);
      const cutLeft = this.cutLeft;
      const cutRight = this.cutRight;
      this.compare(left, cutLeft, right, cutRight);
      left = cutLeft;
      right = cutRight;
    }
    this.left.mark(left, leftEnd);
    this.right.mark(right, rightEnd);
  }

  /**
   * Finds a point on a shortest path. Searches from both ends, one edit deeper each round, until a
   * path from the start and a path from the end meet. A point is x lines of the left and y lines of
   * the right text; its diagonal is x - y. The search from the end sees both texts reversed, so its
   * diagonal d is (n - m) - d of the other search.
   */
  private split(left: i32, leftEnd: i32, right: i32, rightEnd: i32): void {
    const a = this.left.ids;
    const b = this.right.ids;
    const n = leftEnd - left;
    const m = rightEnd - right;
    const delta = n - m;
    const odd = (delta & 1) != 0;
    const zero = m + 2;
    const ahead = this.ahead;
    const behind = this.behind;
    // Equal lines at both ends were removed, so every path starts with an edit.
    ahead[zero] = behind[zero] = 0;
    ahead[zero - 1] = ahead[zero + 1] = behind[zero - 1] = behind[zero + 1] = -1;

    for (let depth = 1; ; depth++) {
      // The outermost diagonals that fit and that this many edits can reach, and the edge beyond,
      // not reached yet.
      const lowest = depth <= m ? -depth : -m + ((depth - m) & 1);
      const highest = depth <= n ? depth : n - ((depth - n) & 1);
      if (depth <= m) ahead[zero - depth - 1] = behind[zero - depth - 1] = -1;
      if (depth <= n) ahead[zero + depth + 1] = behind[zero + depth + 1] = -1;

      for (let diagonal = lowest; diagonal <= highest; diagonal += 2) {
        let x = furthest(ahead, zero + diagonal, diagonal, n, m);
        if (x < 0) continue;
        let y = x - diagonal;
        while (x < n && y < m && unchecked(a[left + x]) == unchecked(b[right + y])) {
          x++;
          y++;
        }
        unchecked((ahead[zero + diagonal] = x));
        const opposite = delta - diagonal;
        if (odd && opposite > -depth && opposite < depth && x + unchecked(behind[zero + opposite]) >= n) {
          this.cutLeft = left + x;
          this.cutRight = right + y;
          return;
        }
      }

      for (let diagonal = lowest; diagonal <= highest; diagonal += 2) {
        let x = furthest(behind, zero + diagonal, diagonal, n, m);
        if (x < 0) continue;
        let y = x - diagonal;
        while (x < n && y < m && unchecked(a[leftEnd - 1 - x]) == unchecked(b[rightEnd - 1 - y])) {
          x++;
          y++;
        }
        unchecked((behind[zero + diagonal] = x));
        const opposite = delta - diagonal;
        if (!odd && opposite >= -depth && opposite <= depth && x + unchecked(ahead[zero + opposite]) >= n) {
          this.cutLeft = leftEnd - x;
          this.cutRight = rightEnd - y;
          return;
        }
      }

      if (depth == DEPTH_MAX) {
        const fromStart = bestOf(ahead, zero, lowest, highest);
        const fromEnd = bestOf(behind, zero, lowest, highest);
        const x = ahead[zero + fromStart];
        const back = behind[zero + fromEnd];
        if (2 * x - fromStart >= 2 * back - fromEnd) {
          this.cutLeft = left + x;
          this.cutRight = right + x - fromStart;
        } else {
          this.cutLeft = leftEnd - back;
          this.cutRight = rightEnd - back + fromEnd;
        }
        return;
      }
    }
  }
}

/**
 * The furthest point of one more edit on a diagonal: a removal from the diagonal below or an
 * addition from the one above, if they fit.
 */
@inline
function furthest(reached: StaticArray<i32>, index: i32, diagonal: i32, n: i32, m: i32): i32 {
  let x = unchecked(reached[index]);
  const below = unchecked(reached[index - 1]);
  if (below >= 0 && below < n && below + 1 > x) x = below + 1;
  const above = unchecked(reached[index + 1]);
  if (above > x && above - diagonal <= m) x = above;
  return x;
}

/** The diagonal with the longest path, counted in lines of both texts. */
function bestOf(reached: StaticArray<i32>, zero: i32, lowest: i32, highest: i32): i32 {
  let best = lowest;
  for (let diagonal = lowest; diagonal <= highest; diagonal += 2) {
    const x = reached[zero + diagonal];
    if (x >= 0 && 2 * x - diagonal > 2 * reached[zero + best] - best) best = diagonal;
  }
  return best;
}
