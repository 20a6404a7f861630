#!/usr/bin/env node
// Sorts the fields of a package.json into the usual order, and its dependencies by name.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const usualOrder = [
  ...['name', 'version', 'private', 'description', 'keywords', 'homepage', 'bugs', 'repository'],
  ...['license', 'author', 'type', 'main', 'exports', 'types', 'bin', 'files', 'engines', 'workspaces'],
  ...['scripts', 'dependencies', 'peerDependencies', 'optionalDependencies', 'devDependencies'],
];

const usage = `Usage: order.mjs FILE [--write]

Prints FILE with its fields in the usual order.
  --write  change FILE instead
  --help   show this text
`;

function sorted(manifest) {
  const place = (name) => (usualOrder.includes(name) ? usualOrder.indexOf(name) : usualOrder.length);
  const fields = Object.entries(manifest).sort(([a], [b]) => place(a) - place(b));
  return Object.fromEntries(
    fields.map(([name, value]) => [name, /dependencies$/i.test(name) ? byName(value) : value]),
  );
}

function byName(dependencies) {
  return Object.fromEntries(Object.entries(dependencies).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
});
const [file] = positionals;
if (values.help) process.stdout.write(usage);
else if (file === undefined) {
  process.stderr.write(usage);
  process.exitCode = 2;
} else {
  const text = `${JSON.stringify(sorted(JSON.parse(readFileSync(file, 'utf8'))), null, 2)}\n`;
  if (values.write) writeFileSync(file, text);
  else process.stdout.write(text);
}
