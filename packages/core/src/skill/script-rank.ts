/**
 * Ranks how likely a call means a program when its name is not the whole path. 0: in a folder called `scripts`, or in the skill's
 * own folder. 1: elsewhere. 2: material such as tests, configuration, templates and examples, which no list names.
 */
export function scriptRank(path: string): 0 | 1 | 2 {
  const folders = path.split('/').slice(0, -1);
  if (folders.includes('scripts')) return 0;
  if (material.test(path) || folders.some((folder) => materialFolders.has(folder))) return 2;
  return folders.length === 0 ? 0 : 1;
}

/** `__main__.py` is called as a module. */
const material =
  /(?:^|\/)(?:test_[^/]*\.py|[^/]*_test\.py|conftest\.py|setup\.py|__main__\.py|[^/]*\.(?:test|spec|config)\.[cm]?[jt]s)$/;

const materialFolders: ReadonlySet<string> = new Set(
  (
    'assets docs evals example examples fixtures references resources template templates test tests __tests__ ' +
    'third_party vendor'
  ).split(' '),
);
