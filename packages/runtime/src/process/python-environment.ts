import { existsSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** A virtual environment of Python through which the path of a program leads. */
export interface PythonEnvironment {
  /** The program in it. Only under this name does Python find the environment. */
  program: string;
  /** Its folder, and the real place of that. */
  root: string;
  source: string;
  /** The links from there to the Python that it was made with. */
  links: readonly string[];
}

/** As many links as the system follows (path_resolution(7)). */
const linksMax = 40;

/** The installed system is no virtual environment, whatever lies there. */
const never = ['/', '/usr', '/usr/local'];

/** The first virtual environment on the links from `path` (PEP 405: a `pyvenv.cfg` above the program's folder). */
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

/** The path, and each that it leads to by a link, but for the last. */
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
