import type { CheckedFile } from '../skill-folder.ts';
import { type MarkdownLine, proseLines } from './markdown-lines.ts';
import { finding, type LintFinding } from './rules.ts';

/**
 * Finds links to files that the skill does not have. Skips links with a scheme and links with a
 * placeholder.
 */
export function lintLinks(lines: readonly MarkdownLine[], files: readonly CheckedFile[]): LintFinding[] {
  return proseLines(lines).flatMap(({ number, text }) =>
    targetsIn(text).flatMap((target) => {
      const path = normal(target);
      if (path === undefined) {
        return [
          finding(
            'link-outside',
            'SKILL.md',
            number,
            `the link to ${target} leaves the skill's folder, so the file is missing where the skill is installed; copy it into the folder`,
          ),
        ];
      }
      const exists =
        path === '' || files.some((file) => file.path === path || file.path.startsWith(`${path}/`));
      return exists
        ? []
        : [
            finding(
              'link-dead',
              'SKILL.md',
              number,
              `the link leads to ${target}, which is not in this folder; add the file or fix the link`,
            ),
          ];
    }),
  );
}

function targetsIn(text: string): string[] {
  const inline = [...text.matchAll(/\]\(\s*(?:<([^>]*)>|([^()\s]+))(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/g)];
  const defined = /^ {0,3}\[[^\]^]+\]:\s*<?([^\s>]+)/.exec(text)?.[1];
  return [...inline.map(([, bracketed, plain]) => bracketed ?? plain), defined]
    .filter((target) => target !== undefined)
    .filter((target) => !/^([a-z][a-z0-9+.-]*:|\/\/|#|mailto:)|[{}<>$*…]/i.test(target));
}

/** The path within the folder, without fragment; `undefined` if it leaves the folder. */
function normal(target: string): string | undefined {
  const bare = target.replace(/[?#].*$/, '');
  const parts: string[] = [];
  if (bare.startsWith('/')) return undefined;
  for (const part of decoded(bare).split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray % is part of the name.
    return text;
  }
}
