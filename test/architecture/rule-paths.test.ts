import { readFileSync } from 'node:fs';
import { builtinModules, createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listFiles } from '../../scripts/check/list-files.mjs';
import { repository } from '../support/daemon-process.ts';

type Paths = string | readonly string[];
interface Rule {
  name: string;
  from: { path?: Paths; pathNot?: Paths };
  to: { path?: Paths; pathNot?: Paths };
}

const { forbidden } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as {
  forbidden: readonly Rule[];
};

test('every alternative in a path of an import rule matches a file or a module', () => {
  const [files, modules] = [listFiles(repository), importedModules()];
  expect(files.length).toBeGreaterThan(1000);
  expect(forbidden.flatMap((rule) => unmatched(rule, [...files, ...modules]))).toEqual([]);
});

test('a folder that no longer exists is found wherever a rule names it', () => {
  const rule: Rule = {
    name: 'a-rule',
    from: { path: '^packages/([^/]+)/', pathNot: ['^packages/a/src/(b(/|\\.ts$)|gone/)'] },
    to: { path: '^packages/(?!(a|lost)/)', pathNot: '^packages/$1/' },
  };
  expect(unmatched(rule, ['packages/a/src/b/c.ts', 'packages/a/src/b.ts'])).toEqual([
    'a-rule ^packages/a/src/gone/',
    'a-rule ^packages/lost/',
  ]);
});

/** The alternatives in the paths of `rule` that match none of `paths`. */
function unmatched({ name, from, to }: Rule, paths: readonly string[]): string[] {
  return [from.path, from.pathNot, to.path, to.pathNot]
    .flatMap((each) => each ?? [])
    .flatMap(alternatives)
    .filter((pattern) => !paths.some((path) => new RegExp(pattern).test(path)))
    .map((pattern) => `${name} ${pattern}`);
}

/**
 * Every combination of a pattern's alternatives. Names in a negative lookahead count too: an
 * exception for a folder that is gone has no effect either.
 */
function alternatives(pattern: string): string[] {
  const source = pattern.replaceAll(/\$\d/g, '[^/]+');
  const group = /\((?:\?!)?([^()]*)\)(\?)?/.exec(source);
  if (group === null) return source.split('|');
  const [whole, inner = '', optional] = group;
  const choices = [...inner.split('|'), ...(optional === undefined ? [] : [''])];
  const before = source.slice(0, group.index);
  const after = source.slice(group.index + whole.length);
  return [...new Set(choices.flatMap((choice) => alternatives(before + choice + after)))];
}

/** Lists the imports besides files: modules of Node, dependencies, and the host's module for scripts. */
function importedModules(): string[] {
  const manifests = listFiles(repository).filter((file) => /^packages\/[^/]+\/package\.json$/.test(file));
  const dependencies = manifests.flatMap((file) => {
    const { dependencies = {} } = JSON.parse(readFileSync(join(repository, file), 'utf8')) as {
      dependencies?: Record<string, string>;
    };
    return Object.keys(dependencies);
  });
  return [
    'ambit',
    ...builtinModules.flatMap((name) => [name, `node:${name}`]),
    'node:sqlite',
    'sqlite',
    ...dependencies.flatMap((name) => [name, `node_modules/${name}/`, `packages/node_modules/${name}/`]),
  ];
}
