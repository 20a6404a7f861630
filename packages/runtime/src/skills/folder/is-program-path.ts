/**
 * Whether a file is where a skill's programs are: in a folder called `scripts` at any depth, or, unless it is a test or a
 * configuration file, in the skill's own folder. A skill that describes its runs has decided what callers may start, so only
 * its own `scripts/` counts.
 */
export function isProgramPath(path: string, describesRuns: boolean): boolean {
  if (path.startsWith('scripts/')) return true;
  if (describesRuns) return false;
  const folders = path.split('/').slice(0, -1);
  if (folders.length === 0) return !noProgram.test(path);
  return folders.includes('scripts') && !folders.includes('node_modules');
}

const noProgram = /^(?:test_.*\.py|.*_test\.py|conftest\.py|setup\.py|.*\.(?:test|spec|config)\.m?js)$/;
