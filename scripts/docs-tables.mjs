// Writes the tables of the documentation that repeat what the code declares: the settings in docs/configuration.md from the
// schema of the configuration file, the routes and the error codes in docs/http.md from the contracts, and the options in
// docs/cli.md from the commands. A comment in the page marks each table, and
// names the keys of a table of settings, and the commands of a table of options.
//
//   node scripts/docs-tables.mjs

import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { contracts, problemCodes } from '../packages/api/src/index.ts';
import { commandsOf } from '../packages/cli/src/all-commands.ts';
import { globalOptions, longOf } from '../packages/cli/src/command/define-command.ts';
import { choicesOf } from '../packages/cli/src/command/value-spec.ts';
import { settingsSchema } from '../packages/server/src/config/file/settings.ts';
import { keysOf, valueAt } from '../packages/server/src/config/keys.ts';

const commands = await commandsOf([]);

/**
 * The pages with tables, each with the function that makes its tables current.
 * @type {readonly { file: string, withTables: (page: string) => string }[]}
 */
export const pagesWithTables = [
  { file: fileIn('docs/configuration.md'), withTables: withSettings },
  { file: fileIn('docs/http.md'), withTables: (page) => withCodes(withRoutes(page)) },
  { file: fileIn('docs/cli.md'), withTables: withOptions },
];

/** @param {string} path from the folder of the repository */
function fileIn(path) {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}

/** @param {string} page */
function withRoutes(page) {
  const rows = contracts.map(
    ({ method, url, summary, scope }) =>
      `| \`${method} ${url}\` | ${summary} | ${scopes[scope] ?? `\`${scope}\``} |\n`,
  );
  return withTable(page, 'routes', `| route | purpose | scope |\n|---|---|---|\n${rows.join('')}`);
}

/** @type {Readonly<Record<string, string>>} */
const scopes = { open: 'no key', any: 'any key' };

/** @param {string} page */
function withCodes(page) {
  const rows = Object.entries(problemCodes)
    .toSorted(([, one], [, other]) => one.status - other.status)
    .map(([code, { status, remedy }]) => `| \`${code}\` | ${status} | ${remedy.replaceAll('|', '\\|')} |\n`);
  return withTable(page, 'codes', `| code | status | what to do |\n|---|---|---|\n${rows.join('')}`);
}

/**
 * @param {string} page
 * @param {string} name of the comment above the table
 * @param {string} table
 */
function withTable(page, name, table) {
  const comment = `<!-- ${name} -->\n`;
  if (!page.includes(comment)) throw new Error(`docs/http.md has no table of ${name}`);
  return page.replace(new RegExp(`${comment}(?:\\|.*\\n)*`), () => comment + table);
}

/**
 * The page with current tables of options. `ambit` has the options of every command. In a table of several commands, an
 * option follows the last word of its command.
 * @param {string} page
 */
function withOptions(page) {
  if (!page.includes('<!-- options: ambit -->'))
    throw new Error('docs/cli.md has no table of the options of ambit');
  return page.replace(/^<!-- options: (.+) -->\n(?:\|.*\n)*/gm, (_, /** @type {string} */ names) => {
    const commands = names.split(', ');
    const rows = commands.flatMap((name) =>
      optionRows(name, commands.length === 1 ? '' : `${name.split(' ').at(-1)} `),
    );
    return `<!-- options: ${names} -->\n| option | meaning |\n|---|---|\n${rows.join('')}`;
  });
}

/**
 * @param {string} name of a command
 * @param {string} prefix
 */
function optionRows(name, prefix) {
  const options =
    name === 'ambit' ? globalOptions : commands.find((command) => command.name === name)?.options;
  if (options === undefined) throw new Error(`docs/cli.md names a command without options: ${name}`);
  return Object.entries(options).map(([key, spec]) => {
    const value =
      spec.value === undefined ? '' : ` ${choicesOf(spec)?.join('|') ?? spec.value.toUpperCase()}`;
    const meaning = spec.details === undefined ? spec.text : `${spec.text}. ${spec.details}`;
    return `| \`${prefix}${longOf(key, spec)}${value.replaceAll('|', '\\|')}\` | ${meaning} |\n`;
  });
}

/** @typedef {{ name: string, absent: string, description: string }} Row */

/**
 * The page with current tables. Throws for a key in no table, and for a key without a description.
 * @param {string} page
 */
function withSettings(page) {
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
  for (const { file, withTables } of pagesWithTables) {
    const page = await readFile(file, 'utf8');
    const written = withTables(page);
    if (written !== page) await writeFile(file, written);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
