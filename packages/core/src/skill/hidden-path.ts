/**
 * Whether a path below a skill's folder is hidden: its name, or that of a folder it is in, begins with a dot. Hidden files
 * are not part of a skill. They belong to version control, editors and operating systems, and hold tokens and keys; the
 * Agent Skills specification has none.
 */
export function isHiddenPath(path: string): boolean {
  return path.split('/').some((name) => isHiddenName(name));
}

/** Whether a file or folder of this name is hidden. `.` and `..` are directions, not names. */
export function isHiddenName(name: string): boolean {
  return name.startsWith('.') && name !== '.' && name !== '..';
}

const namedMax = 10;

/** A warning for authors that names hidden files by their paths. */
export function hiddenText(paths: readonly string[]): string {
  const more = paths.length > namedMax ? ` and ${paths.length - namedMax} more` : '';
  return `hidden files and folders are not part of the skill: ${paths.slice(0, namedMax).join(', ')}${more}`;
}
