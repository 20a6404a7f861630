import type { Config } from '../../config/config.ts';
import { settingsSchema } from '../../config/file/settings.ts';
import { isMap, keysOf } from '../../config/keys.ts';

/**
 * The keys that differ in `next`, such as `grants.git-summary` or `limits.queue`, sorted. Never their values: anyone who may
 * read the log sees the keys.
 */
export function changedKeys(before: Config, next: Config): string[] {
  const [old, now] = [entries(before), entries(next)];
  return [...new Set([...old.keys(), ...now.keys()])].filter((key) => old.get(key) !== now.get(key)).sort();
}

/**
 * The changed keys that need a restart, because they affect the open socket, data directory or log. A configuration that
 * changes one of them is refused: a file is applied completely or not at all.
 */
export function needingRestart(changed: readonly string[]): string[] {
  return changed.filter((key) => startKeys.has(key));
}

const keys = keysOf(settingsSchema('/', '/'));

const startKeys = new Set(keys.filter(([, schema]) => schema.meta()?.needsRestart).map(([key]) => key));

/** Keys whose inner keys are compared separately, with the name in the file, in which `*` stands for the inner key. */
const groups: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    keys
      .filter((key) => key[0].includes('.') || isMap(key))
      .map(([name]) => name.replace(/\..*/, ''))
      .map((name) => [name, name]),
  ),
  mcpServers: 'grants.*.mcpServers',
  hostUsers: 'grants.*.user',
  // In the file, both are under `limits`.
  capacity: 'limits',
  installed: 'installed',
};

function entries(config: Config): Map<string, string> {
  const found = new Map<string, string>();
  // The file says what is in force; the scope only why.
  const { scope: _, ...settings } = config;
  for (const [key, value] of Object.entries(settings)) {
    const group = groups[key];
    if (group === undefined) found.set(key, JSON.stringify(value));
    else
      for (const [name, inner] of Object.entries(value as object))
        found.set(
          group.includes('*') ? group.replace('*', () => name) : `${group}.${name}`,
          JSON.stringify(inner),
        );
  }
  // A reload can change the certificate files, but not turn TLS on or off.
  const { tls } = config.listen;
  found.set('listen.tls', String(tls !== null));
  found.set('listen.tls.files', JSON.stringify(tls));
  return found;
}
