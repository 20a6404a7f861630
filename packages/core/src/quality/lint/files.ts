import type { Sidecar } from '../../skill/sidecar.ts';
import { declaredRuns } from '../../skill/skill.ts';
import type { LintedFolder } from '../skill-folder.ts';
import { finding, type LintFinding } from './rules.ts';

/** Finds files that nothing mentions. An agent only opens files that it knows about. */
export function lintFiles(
  { files, skillMd, texts, sidecar: sidecarText }: LintedFolder,
  sidecar: Sidecar,
): LintFinding[] {
  const own = { ...texts, 'SKILL.md': skillMd, 'ambit.yaml': sidecarText ?? '' };
  const unmentioned = files
    .map(({ path }) => path)
    .filter((path) => !needsNoMention(path, sidecar) && !isMentioned(path, own));
  return [...Map.groupBy(unmentioned, folderOf)].flatMap(([folder, paths]) => findings(folder, paths));
}

/**
 * Files that are found without a mention: by Ambit, by lawyers, by package managers, or by the
 * program that the sidecar starts.
 */
function needsNoMention(path: string, sidecar: Sidecar): boolean {
  const runs = declaredRuns({ sidecar });
  return (
    path === 'SKILL.md' ||
    path === 'ambit.yaml' ||
    /^(licen[cs]e|copying|notice|authors|changelog|readme)\b/i.test(nameOf(path)) ||
    path
      .split('/')
      .some((part) => part.startsWith('.') || part.startsWith('__') || part === 'node_modules') ||
    /^(package(-lock)?\.json|pnpm-lock\.yaml|requirements\.txt|pyproject\.toml)$/.test(nameOf(path)) ||
    runs.some(({ run }) => path === run.entry || isCode(path))
  );
}

/** Programs import their modules under names other than the files'. */
function isCode(path: string): boolean {
  return /\.([cm]?[jt]s|py|sh|bash|pl|rb|wasm)$/.test(path);
}

function isMentioned(path: string, texts: Readonly<Record<string, string>>): boolean {
  const folders = path.split('/').slice(0, -1);
  const ways = [nameOf(path), ...folders.map((_, index) => `${folders.slice(0, index + 1).join('/')}/`)];
  return Object.entries(texts).some(([from, text]) => from !== path && ways.some((way) => names(text, way)));
}

/**
 * Delimited by characters that are not part of names: `references/a.md` mentions one file, not its
 * folder.
 */
function names(text: string, way: string): boolean {
  for (let at = text.indexOf(way); at !== -1; at = text.indexOf(way, at + 1)) {
    const [before, after] = [text[at - 1] ?? '', text.slice(at + way.length, at + way.length + 2)];
    if (!/[\w-]/.test(before) && !/^(?:[\w-]|\.\w)/.test(after)) return true;
  }
  return false;
}

function findings(folder: string, paths: readonly string[]): LintFinding[] {
  const tell = (path: string, which: string): LintFinding =>
    finding(
      'file-unmentioned',
      path,
      null,
      `nothing in the skill mentions ${which}; say in SKILL.md when to open it, or remove it`,
    );
  const [first] = paths;
  if (first === undefined || paths.length <= 3) return paths.map((path) => tell(path, 'this file'));
  return [tell(first, `this file and ${paths.length - 1} more in ${folder === '' ? 'the folder' : folder}`)];
}

function folderOf(path: string): string {
  return path.split('/').slice(0, -1).join('/');
}

function nameOf(path: string): string {
  return path.split('/').at(-1) ?? path;
}
