import { type MarkdownLine, proseLines } from './markdown-lines.ts';
import { finding, type LintFinding } from './rules.ts';

/** Finds placeholders, and paths that only exist on the author's machine. */
export function lintLeftovers(lines: readonly MarkdownLine[]): LintFinding[] {
  const placeholders = proseLines(lines).flatMap(({ number, text }) => {
    const word = placeholder.exec(text)?.[0].trim();
    return word === undefined
      ? []
      : [finding('placeholder', 'SKILL.md', number, `"${word}" is a placeholder; fill it in or remove it`)];
  });
  const paths = lines.flatMap(({ number, text }) => {
    const path = homePath.exec(text)?.[1];
    return path === undefined
      ? []
      : [
          finding(
            'host-path',
            'SKILL.md',
            number,
            `${path} exists on one machine only; write a path relative to the skill or to the project`,
          ),
        ];
  });
  return [...placeholders, ...paths];
}

// At the start of a line or before a colon, so that a skill about to-dos has no placeholders.
const placeholder =
  /^[\s>]*(?:[-*+]\s+(?:\[ \]\s+)?|#+\s+)?(?:TODO|FIXME|TBD)\b|\b(?:TODO|FIXME|TBD):|\blorem ipsum\b|\[(?:insert|add|describe|your) [^\]]*\](?![([])|<(?:insert|add|describe|your) [^>]*>/i;

const somebody = '(?!(?:user|username|you|me|name|someone|ubuntu|runner|node)\\b)[\\w.-]+';
const homePath = new RegExp(
  `(?:^|[\\s"'\`(=:])((?:/home/${somebody}|/Users/${somebody}|[A-Z]:\\\\Users\\\\${somebody})[\\w./\\\\-]*)`,
);
