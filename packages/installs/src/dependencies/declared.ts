import { scriptBlock } from '@ambit/core/skill';
import { parse, TomlError } from 'smol-toml';
import {
  npmRequirement,
  pythonRequirement,
  type RefusedRequirement,
  type Requirement,
} from './requirement.ts';

/** The dependencies that a skill declares. */
export interface DeclaredDependencies {
  requirements: readonly Requirement[];
  /** Declarations that cannot be locked. */
  refused: readonly RefusedRequirement[];
}

/** A text file of a skill. */
export interface DeclaringFile {
  path: string;
  text: string;
}

/**
 * Whether the dependencies of a skill may be declared in a file: a script with a PEP 723 block, and `requirements.txt`,
 * `pyproject.toml` and `package.json` in the skill's own folder or in `scripts/`. Elsewhere they belong to templates and
 * examples.
 */
export function mayDeclare(path: string): boolean {
  return path.endsWith('.py') || readerOf(path) !== undefined;
}

/** Reads the declarations of a skill's files, in their order. Runs nothing. Never throws, whatever the text. */
export function declaredDependencies(files: readonly DeclaringFile[]): DeclaredDependencies {
  const read = files.flatMap(({ path, text }) => [
    ...(path.endsWith('.py') ? inlineMetadata(text, path) : []),
    ...(readerOf(path)?.(text, path) ?? []),
  ]);
  const refused = read.filter((each) => 'reason' in each);
  const requirements = new Map(
    read.flatMap((each) => ('reason' in each ? [] : [[`${each.kind} ${each.text}`, each] as const])),
  );
  return { requirements: [...requirements.values()], refused };
}

type Read = Requirement | RefusedRequirement;
type Reader = (text: string, file: string) => readonly Read[];

const readers: Readonly<Record<string, Reader>> = {
  'requirements.txt': requirementsTxt,
  'pyproject.toml': pyproject,
  'package.json': packageJson,
};

function readerOf(path: string): Reader | undefined {
  const [, name = ''] = /^(?:scripts\/)?([^/]+)$/.exec(path) ?? [];
  return Object.hasOwn(readers, name) ? readers[name] : undefined;
}

function requirementsTxt(text: string, file: string): Read[] {
  const lines = text.replaceAll(/\\\r?\n/g, ' ').split(/\r?\n/);
  return lines.flatMap((line) => {
    const written = line.replace(/(?:^|\s)#.*$/, '').trim();
    if (written === '') return [];
    const hashes = [...written.matchAll(/\s--hash[= ]sha256:([0-9a-f]{64})(?=\s|$)/g)].map(
      ([, hash = '']) => hash,
    );
    const read = pythonRequirement(written.replaceAll(/\s--hash[= ]\w+:[0-9a-f]+(?=\s|$)/g, '').trim(), file);
    return ['reason' in read ? read : { ...read, hashes }];
  });
}

function inlineMetadata(text: string, file: string): Read[] {
  return inToml(scriptBlock(text), file, (table) => table['dependencies']);
}

function pyproject(text: string, file: string): Read[] {
  return inToml(
    text,
    file,
    (table) => (table['project'] as { dependencies?: unknown } | undefined)?.dependencies,
  );
}

function inToml(text: string, file: string, listIn: (table: Record<string, unknown>) => unknown): Read[] {
  let table: Record<string, unknown>;
  try {
    table = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return [{ file, text: '', reason: `is not TOML: ${error.message.split('\n', 1)[0]}` }];
  }
  const list = listIn(table) ?? [];
  if (!Array.isArray(list)) return [{ file, text: 'dependencies', reason: 'is not a list' }];
  return list.map((each) =>
    typeof each === 'string'
      ? pythonRequirement(each.trim(), file)
      : { file, text: 'dependencies', reason: 'has an entry that is not text' },
  );
}

function packageJson(text: string, file: string): Read[] {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return [{ file, text: '', reason: 'is not JSON' }];
  }
  const dependencies = (content as { dependencies?: unknown } | null)?.dependencies ?? {};
  if (typeof dependencies !== 'object') return [{ file, text: 'dependencies', reason: 'is not an object' }];
  return Object.entries(dependencies as object).map(([name, range]) =>
    typeof range === 'string'
      ? npmRequirement({ name, range }, file)
      : { file, text: name, reason: 'has a range that is not text' },
  );
}
