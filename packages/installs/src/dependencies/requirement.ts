/** A package that a skill needs, as declared or added. */
export interface Requirement {
  kind: 'python' | 'npm';
  /** Normalized: equal for equal packages. */
  name: string;
  /** As for pip (PEP 508), or `name@range` for npm. */
  text: string;
  /** The file that declares it; empty if the operator added it. */
  file: string;
  /** SHA-256 digests that the file allows, hex; empty: any. */
  hashes: readonly string[];
}

/** A declaration that is not used, and why. */
export interface RefusedRequirement {
  file: string;
  text: string;
  reason: string;
}

/** A package name in the form that indexes compare (PEP 503). */
export function pythonName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}

const pythonPattern =
  /^([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)\s*(\[[\w\s,.-]*\])?\s*(\(?[<>=!~][\w\s.*+!<>=~,-]*\)?)?\s*(;[\w\s.'"<>=!~()-]*)?$/;

/** Reads a requirement for pip. A URL, a path or an option is refused: it would not come from the configured index. */
export function pythonRequirement(text: string, file: string): Requirement | RefusedRequirement {
  // pip reads options after a requirement. Some of them make it run code of the package.
  const hasOption = /(?:^|\s)-/.test(text);
  const found = text.length > 500 || hasOption ? null : pythonPattern.exec(text);
  if (found !== null) {
    const [, name = '', extras = '', version = '', marker = ''] = found;
    const written = `${name}${extras}${version}${marker === '' ? '' : ` ${marker}`}`.replaceAll(/\s+/g, ' ');
    return { kind: 'python', name: pythonName(name), text: written, file, hashes: [] };
  }
  const reason = hasOption
    ? 'has an option; only packages of the configured index are used'
    : /:\/\/|@|^[./~]|\.(?:whl|zip|tar\.gz)$/.test(text)
      ? 'names a URL or a path; only packages of the configured index are used'
      : 'is not a requirement such as "name>=1.0"';
  return { file, text: text.slice(0, 200), reason };
}

const npmName = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/** Whether npm would accept it as the name of a new package. */
function isNpmName(name: string): boolean {
  return name.length <= 214 && npmName.test(name);
}

/** Reads a requirement for npm. A URL, a path, an alias or a repository is refused. */
export function npmRequirement(
  { name, range }: { name: string; range: string },
  file: string,
): Requirement | RefusedRequirement {
  const text = `${name}@${range}`;
  if (isNpmName(name) && /^[\w\s.*^~<>=|+-]{0,200}$/.test(range) && !range.startsWith('-'))
    return { kind: 'npm', name, text, file, hashes: [] };
  const reason = isNpmName(name)
    ? 'names a URL, a path, an alias or a repository; only packages of the configured registry are used'
    : 'is not the name of a package';
  return { file, text: text.slice(0, 200), reason };
}

/** Reads a package as an operator adds it: `name>=1.0` of Python, `npm:name@^1.0` of npm. */
export function addedRequirement(text: string): Requirement | RefusedRequirement {
  const [, name, range = '*'] = /^npm:(@?[^@]*)(?:@(.*))?$/.exec(text.trim()) ?? [];
  return name === undefined ? pythonRequirement(text.trim(), '') : npmRequirement({ name, range }, '');
}
