import { InstallError } from '../install-error.ts';

/**
 * The path of an entry without `.` and empty parts; empty for the source's own folder. Throws `SOURCE_UNSAFE_PATH` for a
 * path that leads out, on this system or another one: no honest program writes such an entry.
 */
export function safePath(path: string): string {
  const reason = whyUnsafe(path);
  if (reason !== undefined)
    throw new InstallError(
      'SOURCE_UNSAFE_PATH',
      `the source has an entry ${JSON.stringify(path.slice(0, 200))}, which ${reason}; the whole source is refused`,
    );
  return path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
}

function whyUnsafe(path: string): string | undefined {
  if (path.includes('\0')) return 'has a NUL byte';
  if (path.includes('\\')) return 'has a backslash, which separates folders on Windows';
  if (path.startsWith('/')) return 'is an absolute path';
  if (/^[A-Za-z]:/.test(path)) return 'begins with a drive';
  return path.split('/').includes('..') ? 'leads out of the source' : undefined;
}
