/**
 * The environment of git in a sandbox: no configuration of this machine, no questions, and the given settings. `folder` has
 * the repository's own files.
 */
export function gitEnvironment(
  folder: string,
  settings: Readonly<Record<string, string>>,
): Record<string, string> {
  const entries = Object.entries(settings);
  return {
    PATH: '/usr/bin',
    HOME: '/nonexistent',
    LC_ALL: 'C.UTF-8',
    // Fixed, not discovered: git then skips its check of the folder's owner.
    GIT_DIR: folder,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    // In place of `-c`, which cannot set a key that contains "=".
    GIT_CONFIG_COUNT: String(entries.length),
    ...Object.fromEntries(
      entries.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}
