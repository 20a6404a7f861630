import semver from 'semver';

/** A version of an interpreter that a file of a skill declares. */
export interface DeclaredVersion {
  program: 'python3' | 'node';
  /** As written: PEP 440 for Python, npm's for Node. */
  range: string;
}

/**
 * The version of its interpreter that a file declares: `requires-python` of a script with a PEP 723 block and of a
 * `pyproject.toml`, `engines.node` of a `package.json`. `undefined`: none that can be read. Never throws, whatever the text.
 */
export function declaredVersion(path: string, text: string): DeclaredVersion | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const range =
    name === 'package.json'
      ? enginesNode(text)
      : requiresPython(
          name === 'pyproject.toml' ? projectTable(text) : path.endsWith('.py') ? scriptBlock(text) : '',
        );
  if (range === undefined || range.length > rangeCharactersMax) return undefined;
  return { program: name === 'package.json' ? 'node' : 'python3', range };
}

const rangeCharactersMax = 100;

/** Whether a version is in a declared range; `undefined` if either cannot be read. */
export function meetsVersion({ program, range }: DeclaredVersion, version: string): boolean | undefined {
  if (program === 'node')
    return semver.validRange(range) === null || semver.valid(version) === null
      ? undefined
      : semver.satisfies(version, range, { includePrerelease: true });
  const numbers = releaseOf(version);
  const clauses = range.split(',').map((clause) => clauseOf(clause.trim()));
  if (numbers === undefined || clauses.includes(undefined)) return undefined;
  return clauses.every((clause) => clause !== undefined && isMet(clause, numbers));
}

/**
 * PEP 723: the TOML in comments between `# /// script` and `# ///`; empty if there is none. Reads each line once: a file can
 * have as many beginnings as lines.
 */
export function scriptBlock(text: string): string {
  if (!text.includes('# /// script')) return '';
  let block: string[] | undefined;
  for (const line of text.split(/\r?\n/)) {
    if (block !== undefined && block.length > 0 && /^# \/\/\/[ \t]*$/.test(line)) return block.join('\n');
    if (block !== undefined && /^#(?: .*)?$/.test(line)) block.push(line.replace(/^# ?/, ''));
    else block = /^# \/\/\/ script[ \t]*$/.test(line) ? [] : undefined;
  }
  return '';
}

function projectTable(text: string): string {
  return (
    /^\[project\][ \t]*(?:#[^\n]*)?\r?\n((?:(?!\[)[^\n]*(?:\n|$))*)/m.exec(text.slice(0, 64 * 1024))?.[1] ??
    ''
  );
}

function requiresPython(toml: string): string | undefined {
  return /^requires-python[ \t]*=[ \t]*(["'])([^"'\n]*)\1/m.exec(toml)?.[2]?.trim();
}

function enginesNode(text: string): string | undefined {
  try {
    const node = (JSON.parse(text) as { engines?: { node?: unknown } } | null)?.engines?.node;
    return typeof node === 'string' ? node.trim() : undefined;
  } catch {
    return undefined;
  }
}

interface Clause {
  operator: string;
  numbers: readonly number[];
  /** `== 3.11.*` */
  isPrefix: boolean;
}

/** One version specifier of PEP 440 with a plain release. */
function clauseOf(text: string): Clause | undefined {
  const [, operator = '', release = '', star] =
    /^(~=|===?|!=|<=?|>=?)[ \t]*(\d{1,4}(?:\.\d{1,4}){0,3})(\.\*)?$/.exec(text) ?? [];
  const numbers = releaseOf(release);
  if (numbers === undefined || (star !== undefined && operator !== '==' && operator !== '!='))
    return undefined;
  if (operator === '~=' && numbers.length < 2) return undefined;
  return { operator, numbers, isPrefix: star !== undefined };
}

function releaseOf(version: string): number[] | undefined {
  const found = /^\d+(?:\.\d+)*/.exec(version)?.[0];
  return found?.split('.').map(Number);
}

function isMet({ operator, numbers, isPrefix }: Clause, version: readonly number[]): boolean {
  const order = compareReleases(version, numbers);
  const hasPrefix = (length: number): boolean =>
    compareReleases(version.slice(0, length), numbers.slice(0, length)) === 0;
  switch (operator) {
    case '>=':
      return order >= 0;
    case '>':
      return order > 0;
    case '<=':
      return order <= 0;
    case '<':
      return order < 0;
    case '~=':
      return order >= 0 && hasPrefix(numbers.length - 1);
    case '!=':
      return isPrefix ? !hasPrefix(numbers.length) : order !== 0;
    default:
      return isPrefix ? hasPrefix(numbers.length) : order === 0;
  }
}

function compareReleases(a: readonly number[], b: readonly number[]): number {
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
