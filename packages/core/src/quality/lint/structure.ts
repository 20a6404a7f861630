import type { MarkdownLine } from './markdown-lines.ts';
import { finding, type LintFinding } from './rules.ts';

/** More lines than this need a heading. */
const linesWithoutHeading = 60;

/** Checks the levels of headings and that code blocks end. */
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
            `a heading of level ${level} follows one of level ${above}; make it level ${above + 1}`,
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
            'the code block that starts here never ends; close it with the same fence',
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
            `${lines.length} lines without a heading; divide them with headings`,
          ),
        ]
      : [];
  return [...skips, ...open, ...bare];
}
