// Writes the tables of settings in docs/configuration.md from the schema of the configuration file. With --check, reports whether
// they are current. The page decides which keys a table has: a comment above it names them.
//
//   node scripts/settings-table.mjs [--check]

import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { settingsSchema } from '../packages/server/src/config/file/settings.ts';
import { keysOf, valueAt } from '../packages/server/src/config/keys.ts';

/** The page with the tables. */
export const settingsPage = fileURLToPath(new URL('../docs/configuration.md', import.meta.url));

/** @typedef {{ name: string, absent: string, description: string }} Row */

/**
 * The page with current tables. Throws for a key in no table, and for a key without a description.
 * @param {string} page
 */
export function withSettings(page) {
  const rows = allRows();
  const shown = new Set();
  const written = page.replace(
    /^<!-- settings: (.+) -->\n(?:\|.*\n)*/gm,
    (_, /** @type {string} */ names) => {
      const table = names.split(' ').flatMap((group) => {
        const found = rows.filter(({ name }) => name === group || name.startsWith(`${group}.`));
        if (found.length === 0) throw new Error(`docs/configuration.md names an unknown key: ${group}`);
        for (const { name } of found) shown.add(name);
        return found;
      });
      return `<!-- settings: ${names} -->\n| key | default | meaning |\n|---|---|---|\n${joined(table).join('')}`;
    },
  );
  const missing = rows.filter(({ name }) => !shown.has(name));
  if (missing.length === 0) return written;
  throw new Error(`no table of docs/configuration.md has ${missing.map(({ name }) => name).join(', ')}`);
}

/** @typedef {ReturnType<typeof keysOf>[number][1]} Schema */

/** @returns {Row[]} a row for each key, in the order of the schema */
function allRows() {
  const schema = settingsSchema('/', '/');
  const defaults = schema.parse({});
  const groups = /** @type {Record<string, Schema>} */ (schema.shape);
  return keysOf(schema).flatMap(([name, key]) => {
    const node = /** @type {Node} */ (key.toJSONSchema({ io: 'input', unrepresentable: 'any' }));
    const [group = ''] = name.split('.');
    return rowsOf(name, node, valueAt(defaults, name), groups[group]?.meta()?.description);
  });
}

/**
 * @typedef {{ properties?: Record<string, Node>, description?: string, absent?: string, default?: unknown, not?: unknown }} Node
 * @param {string} name
 * @param {Node} node
 * @param {unknown} value the default
 * @param {string} [inherited] the description of the section
 * @returns {Row[]}
 */
function rowsOf(name, node, value, inherited) {
  // A key that is always refused, with a sentence that says why.
  if (node.not !== undefined) return [];
  const { description = inherited, absent = defaultText(value), properties = {} } = node;
  if (description !== undefined) return [{ name, absent, description }];
  const inner = Object.entries(properties);
  if (inner.length === 0) throw new Error(`the key ${name} has no description`);
  return inner.flatMap(([key, each]) => rowsOf(`${name}.${key}`, each, each.default));
}

/** @param {unknown} value */
function defaultText(value) {
  const isEmpty = value === undefined || value === null || Object.keys(Object(value)).length === 0;
  return isEmpty && typeof value !== 'number' && typeof value !== 'boolean' ? 'none' : `\`${value}\``;
}

/**
 * The lines of a table. Neighbours with the same meaning have one line.
 * @param {Row[]} rows
 */
function joined(rows) {
  /** @type {{ names: string[], cells: string }[]} */
  const lines = [];
  for (const { name, absent, description } of rows) {
    const cells = `${absent} | ${description}`;
    if (lines.at(-1)?.cells === cells) lines.at(-1)?.names.push(name);
    else lines.push({ names: [name], cells });
  }
  return lines.map(({ names, cells }) => `| ${names.map((name) => `\`${name}\``).join(', ')} | ${cells} |\n`);
}

async function main() {
  const page = await readFile(settingsPage, 'utf8');
  const written = withSettings(page);
  if (written === page) return;
  if (process.argv.includes('--check')) {
    console.error(
      'the tables of docs/configuration.md are not current: run "node scripts/settings-table.mjs"',
    );
    process.exitCode = 1;
    return;
  }
  await writeFile(settingsPage, written);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
