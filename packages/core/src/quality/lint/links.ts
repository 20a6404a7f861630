import type { CheckedFile } from '../skill-folder.ts';
import { type MarkdownLine, proseLines } from './markdown-lines.ts';
import { finding, type LintFinding } from './rules.ts';

/** Links that lead to no file of the skill. What has a scheme, and what only a reader can fill in, is not judged. */
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
            `the link to ${target} leads out of the skill's folder; whoever gets the skill does not get that file, so bring it along`,
          ),
        ];
      }
      const there =
        path === '' || files.some((file) => file.path === path || file.path.startsWith(`${path}/`));
      return there
        ? []
        : [
            finding(
              'link-dead',
              'SKILL.md',
              number,
              `the link leads to ${target}, which is not in this folder; add the file or mend the link`,
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

/** The path within the folder, without fragment; `undefined` when it leaves it. */
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
