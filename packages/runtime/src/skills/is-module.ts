import { extname } from 'node:path';

/** How much of a script is looked at: larger ones count as scripts. */
export const moduleBytesMax = 256 * 1024;

/**
 * Whether a file in `scripts/` only defines things for other files: run by itself it would do nothing. `content` is all of it.
 * Doubtful ones are no modules, so that nothing that can be run is left out.
 */
export function isModule(path: string, content: Buffer): boolean {
  if (content.length >= moduleBytesMax) return false;
  const text = content.toString('utf8');
  switch (extname(path)) {
    case '.py':
      return path.endsWith('/__init__.py') || definesOnly(text);
    case '.js':
    case '.mjs':
      return !text.startsWith('#!') && exporting.test(text) && !acting.test(text);
    default:
      return false;
  }
}

const exporting = /^(?:export\b|module\.exports\b|exports\.)/m;
const acting = /\bprocess\.|\bconsole\.|\brequire\.main\b|\bimport\.meta\b|^(?:await|\w+\()/m;

/** Whether the top level of a Python file has definitions, and beside them only imports, names and texts. */
function definesOnly(text: string): boolean {
  // Texts in triple quotes may hold anything, also at the beginning of a line.
  const lines = text
    .replace(/("""|''')[\s\S]*?\1/g, '""')
    .split(/\r?\n/)
    .filter((line) => /^\S/.test(line));
  const defined = lines.map((line) => defining.exec(line)?.[1]).filter((name) => name !== undefined);
  const calls = (line: string): boolean => defined.some((name) => line.includes(`= ${name}(`));
  return defined.length > 0 && lines.every((line) => idle.test(line) && !calls(line));
}

const defining = /^(?:async\s+)?(?:def|class)\s+(\w+)/;
const idle =
  /^(?:#|@|["')\]}]|(?:async\s+)?(?:def|class)\s|from\s|import\s|try:|except\b|else:|finally:|if TYPE_CHECKING\b|pass\b|(?!(?:if|for|while|with|match|assert|del|raise)\b)[A-Za-z_][\w, ]*(?::[^=]+)?=(?!=))/;
