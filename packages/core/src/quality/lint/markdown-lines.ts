import { frontmatterBlock } from '../../skill/frontmatter.ts';

/** One line below the frontmatter. */
export interface MarkdownLine {
  /** In the file, starting at 1. */
  number: number;
  /** Its first 2,000 characters. */
  text: string;
  /** The line of the opening fence of its code block, fences included; `null` outside code. */
  fence: number | null;
  /** Set on the last line of a block that never ends. */
  unclosed?: true;
}

/**
 * Only the beginning of a longer line is checked. Prose has none, and patterns would be slow on it.
 */
const charactersMax = 2000;

/**
 * The body of a `SKILL.md`, line by line, with code marked (CommonMark, "fenced code blocks", also
 * in lists and quotes).
 */
export function markdownLines(skillMd: string): MarkdownLine[] {
  const start = frontmatterBlock(skillMd)?.endLine ?? 0;
  const lines: MarkdownLine[] = [];
  let open: { mark: string; line: number } | undefined;
  for (const [index, raw] of skillMd.split('\n').entries()) {
    if (index < start) continue;
    const text = raw.slice(0, charactersMax).replace(/\r$/, '');
    const number = index + 1;
    if (open === undefined) {
      const mark = /^(?:[\s>]|[-*+]\s|\d+[.)]\s)*(`{3,}(?=[^`]*$)|~{3,})/.exec(text)?.[1];
      if (mark !== undefined) open = { mark, line: number };
      lines.push({ number, text, fence: open?.line ?? null });
      continue;
    }
    lines.push({ number, text, fence: open.line });
    const closing = /^[\s>]*(`{3,}|~{3,})\s*$/.exec(text)?.[1];
    if (closing?.startsWith(open.mark)) open = undefined;
  }
  const last = lines.at(-1);
  if (open !== undefined && last !== undefined) last.unclosed = true;
  return lines;
}

/** The lines of prose, without text in backquotes. */
export function proseLines(lines: readonly MarkdownLine[]): MarkdownLine[] {
  return lines
    .filter(({ fence }) => fence === null)
    .map((line) => ({ ...line, text: line.text.replace(/(`+)(?!`).*?(?<!`)\1(?!`)/g, '') }));
}
