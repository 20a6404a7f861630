import { existsSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** A Python virtual environment on the path of a program. */
export interface PythonEnvironment {
  /** The program in it. Python finds the environment only under this path. */
  program: string;
  /** Its folder, and that folder's real path. */
  root: string;
  source: string;
  /** The links from `program` to the Python that created the environment. */
  links: readonly string[];
}

/** The number of symlinks that the kernel follows (path_resolution(7)). */
const linksMax = 40;

/** The installed system is never a virtual environment. */
const never = ['/', '/usr', '/usr/local'];

/**
 * The first virtual environment on the links from `path` (PEP 405: a `pyvenv.cfg` above the
 * program's folder).
 */
export function pythonEnvironment(path: string): PythonEnvironment | undefined {
  const links = linksFrom(path);
  const at = links.findIndex((link) => {
    const root = dirname(dirname(link));
    return !never.includes(root) && existsSync(join(root, 'pyvenv.cfg'));
  });
  const program = links[at];
  if (program === undefined) return undefined;
  const root = dirname(dirname(program));
  return { program, root, source: realpathSync(root), links: links.slice(at + 1) };
}

/** The path and every symlink it leads to, without the final file. */
function linksFrom(path: string): string[] {
  const links: string[] = [];
  for (let at: string | undefined = path; at !== undefined && links.length < linksMax; ) {
    const to = linkedTo(at);
    if (to !== undefined) links.push(at);
    at = to;
  }
  return links;
}

function linkedTo(path: string): string | undefined {
  try {
    return resolve(dirname(path), readlinkSync(path));
  } catch {
    return undefined;
  }
}
