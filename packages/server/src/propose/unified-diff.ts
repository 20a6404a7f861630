/** A file before and after a change; `before` is `undefined` for a new file. */
export interface ChangedText {
  /** As the patch names it. */
  name: string;
  before: string | undefined;
  after: string;
}

const contextLines = 3;

/** The change of a text file in the unified format, for `patch` and `git apply`. Empty without a change. */
export function unifiedDiff({ name, before, after }: ChangedText): string {
  const edits = editsBetween(linesOf(before ?? ''), linesOf(after));
  const hunks = hunksOf(edits);
  if (hunks.length === 0) return '';
  // A tab ends a name with spaces.
  const header = /\s/.test(name) ? `${name}\t` : name;
  return `--- ${before === undefined ? '/dev/null' : header}\n+++ ${header}\n${hunks.join('')}`;
}

interface Edit {
  sign: ' ' | '-' | '+';
  line: string;
}

/** With their line feeds, so that a last line without one differs. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function editsBetween(before: readonly string[], after: readonly string[]): Edit[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before.at(-1 - end) === after.at(-1 - end)
  )
    end += 1;
  const same = (lines: readonly string[]): Edit[] => lines.map((line) => ({ sign: ' ', line }));
  return [
    ...same(before.slice(0, start)),
    ...changes(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...same(before.slice(before.length - end)),
  ];
}

/** Lines of a change that are compared one by one; a longer one is replaced as a whole. */
const comparedMax = 1000;

/** The longest common subsequence, by dynamic programming. */
function changes(before: readonly string[], after: readonly string[]): Edit[] {
  const removed = (line: string): Edit => ({ sign: '-', line });
  const added = (line: string): Edit => ({ sign: '+', line });
  if (before.length > comparedMax || after.length > comparedMax)
    return [...before.map(removed), ...after.map(added)];
  const common = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = before.length - 1; i >= 0; i -= 1)
    for (let j = after.length - 1; j >= 0; j -= 1)
      (common[i] as Uint16Array)[j] =
        before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const edits: Edit[] = [];
  for (let [i, j] = [0, 0]; i < before.length || j < after.length; ) {
    const [old, young] = [before[i], after[j]];
    if (old !== undefined && old === young) {
      edits.push({ sign: ' ', line: old });
      i += 1;
      j += 1;
    } else if (old !== undefined && (young === undefined || at(i + 1, j) >= at(i, j + 1))) {
      edits.push(removed(old));
      i += 1;
    } else if (young !== undefined) {
      edits.push(added(young));
      j += 1;
    }
  }
  return edits;
}

function hunksOf(edits: readonly Edit[]): string[] {
  const changed = edits.flatMap(({ sign }, index) => (sign === ' ' ? [] : [index]));
  const ranges: [from: number, to: number][] = [];
  for (const index of changed) {
    const last = ranges.at(-1);
    const to = Math.min(edits.length, index + contextLines + 1);
    if (last !== undefined && index - contextLines <= last[1]) last[1] = to;
    else ranges.push([Math.max(0, index - contextLines), to]);
  }
  return ranges.map(([from, to]) => hunk(edits, from, to));
}

function hunk(edits: readonly Edit[], from: number, to: number): string {
  const count = (part: readonly Edit[], sign: '-' | '+'): number =>
    part.filter((edit) => edit.sign === ' ' || edit.sign === sign).length;
  const [above, inside] = [edits.slice(0, from), edits.slice(from, to)];
  const range = (sign: '-' | '+'): string => {
    const lines = count(inside, sign);
    return `${count(above, sign) + (lines === 0 ? 0 : 1)},${lines}`;
  };
  const text = inside.map(({ sign, line }) =>
    line.endsWith('\n') ? `${sign}${line}` : `${sign}${line}\n\\ No newline at end of file\n`,
  );
  return `@@ -${range('-')} +${range('+')} @@\n${text.join('')}`;
}
