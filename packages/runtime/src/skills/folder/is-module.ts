import { basename, extname } from 'node:path';

/** The number of bytes of a script that are inspected; a larger one counts as a script. */
export const moduleBytesMax = 256 * 1024;

/**
 * Whether a program's file only defines things for other files, and does nothing when run by
 * itself. `content` is the whole file. In doubt it is not a module, so every runnable script is
 * listed.
 */
export function isModule(path: string, content: Buffer): boolean {
  if (content.length >= moduleBytesMax) return false;
  const text = content.toString('utf8');
  switch (extname(path)) {
    case '.py':
      return basename(path) === '__init__.py' || definesOnly(text);
    case '.js':
    case '.mjs':
    case '.cjs':
    case '.ts':
    case '.mts':
    case '.cts':
      return !text.startsWith('#!') && exporting.test(text) && !acting.test(text);
    default:
      return false;
  }
}

const exporting = /^(?:export\b|module\.exports\b|exports\.)/m;
const acting = /\bprocess\.|\bconsole\.|\brequire\.main\b|\bimport\.meta\b|^(?:await|\w+\()/m;

/**
 * Whether the top level of a Python file has definitions and, apart from them, only imports,
 * assignments and strings; or only constants.
 */
function definesOnly(text: string): boolean {
  // A triple-quoted string may contain any text, also at the start of a line.
  const lines = topLevel(text.replace(/("""|''')[\s\S]*?\1/g, '""').split(/\r?\n/));
  const defined = lines.map((line) => defining.exec(line)?.[1]).filter((name) => name !== undefined);
  const calls = (line: string): boolean => defined.some((name) => line.includes(`= ${name}(`));
  const does = (line: string): boolean => !idle.test(line) || calls(line);
  if (lines.length === 0 || lines.some(does)) return false;
  return defined.length > 0 || !lines.some((line) => importing.test(line) || line.includes('('));
}

/** The lines that run when a Python file is read: those without indentation, and the body of a `try` there. */
function topLevel(lines: readonly string[]): string[] {
  let isTry = false;
  let bodyIndent: string | undefined;
  return lines.flatMap((line) => {
    const [indent = ''] = /^\s*/.exec(line) ?? [];
    if (indent === line) return [];
    if (indent === '') {
      isTry = line.startsWith('try:');
      bodyIndent = undefined;
      return [line];
    }
    if (isTry) bodyIndent ??= indent;
    return indent === bodyIndent ? [line.trimStart()] : [];
  });
}

const importing = /^(?:from|import)\s/;
const defining = /^(?:async\s+)?(?:def|class)\s+(\w+)/;
const idle =
  /^(?:#|@|["')\]}]|(?:async\s+)?(?:def|class)\s|from\s|import\s|try:|except\b|else:|finally:|if TYPE_CHECKING\b|pass\b|(?!(?:if|for|while|with|match|assert|del|raise)\b)[A-Za-z_][\w, ]*(?::[^=]+)?=(?!=))/;
