import type { MarkdownLine } from './markdown-lines.ts';
import { finding, type LintFinding } from './rules.ts';

/** As many lines as can be taken in without a heading. */
const linesWithoutHeading = 60;

/** Headings in order, and code that ends. */
export function lintStructure(lines: readonly MarkdownLine[]): LintFinding[] {
  const headings = lines.flatMap(({ fence, number, text }) => {
    const marks = fence === null ? /^ {0,3}(#{1,6})(?=[ \t])/.exec(text)?.[1] : undefined;
    return marks === undefined ? [] : [{ number, level: marks.length }];
  });
  const skips = headings.flatMap(({ number, level }, index) => {
    const above = headings[index - 1]?.level ?? level;
    return level <= above + 1
      ? []
      : [
          finding(
            'heading-skip',
            'SKILL.md',
            number,
            `a heading of level ${level} stands below one of level ${above}; make it level ${above + 1}`,
          ),
        ];
  });
  const open = lines.flatMap(({ unclosed, fence }) =>
    unclosed
      ? [
          finding(
            'fence-open',
            'SKILL.md',
            fence,
            'the block of code that begins here never ends, so all below is code; close it with the same fence',
          ),
        ]
      : [],
  );
  const bare =
    headings.length === 0 && lines.length > linesWithoutHeading
      ? [
          finding(
            'headings-missing',
            'SKILL.md',
            null,
            `${lines.length} lines without a heading; divide them, so that a part can be found`,
          ),
        ]
      : [];
  return [...skips, ...open, ...bare];
}
