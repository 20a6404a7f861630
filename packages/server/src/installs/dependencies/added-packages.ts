import type { Skill } from '@ambit/core';

/**
 * Packages that an operator adds, each with its ecosystem. `npm:NAME` is a package of npm. A plain name is a package of npm too
 * if the skill has files of JavaScript and none of Python, and a Python package for all others.
 */
export function addedPackages(add: readonly string[], { files }: Pick<Skill, 'files'>): string[] {
  const has = (pattern: RegExp): boolean => files.some(({ path }) => pattern.test(path));
  const isOfNode =
    has(/\.[cm]?[jt]sx?$|(?:^|\/)package\.json$/) &&
    !has(/\.py$|(?:^|\/)(?:requirements\.txt|pyproject\.toml)$/);
  return add.map((text) => (isOfNode && !/^\s*npm:/.test(text) ? `npm:${text.trim()}` : text.trim()));
}
