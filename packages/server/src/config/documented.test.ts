import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tierCeilings } from '@ambit/core/policy';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { sources } from '../testing/config-sources.ts';
import { configFile } from './file/config-file.ts';
import { configWithOrigins } from './load-config.ts';

const repository = fileURLToPath(new URL('../../../../', import.meta.url));

/** A row of docs/configuration.md: the names in its first cell, and the other cells. */
interface Row {
  names: string[];
  cells: string[];
}

test('docs/configuration.md has exactly the keys of the file', async () => {
  const written = (await rowsOf('Settings')).flatMap(({ names }) => names).map(inAnyName);
  const schema = z.toJSONSchema(configFile('/', '/'), { io: 'input', unrepresentable: 'any' });
  expect(written.toSorted()).toEqual(placesIn(schema as Schema, '', new Set(written)).toSorted());
});

test('docs/configuration.md has the actual defaults', async () => {
  const cwd = await temporaryFolder();
  const entries = await configWithOrigins(sources(cwd));
  const plain = entries.filter(({ value }) => value !== null && typeof value !== 'object');
  const written = (await rowsOf('Settings')).flatMap(({ names, cells: [shown = ''] }) =>
    names.map((name, index) => [name, bare(shown.split(', ')[index] ?? '')] as const),
  );
  // These depend on the folder and the machine.
  const here = {
    dataDir: '.ambit',
    'limits.wasmHosts': 'as many as processors',
    'limits.memoryShareBytes': 'three quarters of the memory',
  };
  const defaults = { ...Object.fromEntries(plain.map(({ key, value }) => [key, String(value)])), ...here };
  expect(Object.fromEntries(written)).toMatchObject(defaults);
});

test('docs/configuration.md has the limits of each tier', async () => {
  const written = (await rowsOf('Tiers')).filter(({ cells: [cell = ''] }) => /^\d|^unlimited/.test(cell));
  const programs = [tierCeilings.local, tierCeilings.verified].map(({ limits }) => limits.process);
  const modules = Object.values(tierCeilings).map(({ limits }) => limits.wasm);
  const limits = ['timeoutMs', 'cpuMs', 'memoryBytes', 'processes', 'fileBytes', 'outputBytes'] as const;
  expect(written).toEqual([
    ...limits.map((limit) => ({
      names: [limit],
      cells: programs.map((range) => `${range.default[limit]}, ${range.max[limit]}`),
    })),
    ...[...limits, 'fuel' as const].map((limit) => ({
      names: [limit],
      cells: modules.map(({ default: normal, max }) => {
        expect(normal).toEqual(max);
        return String(max[limit] ?? 'unlimited');
      }),
    })),
  ]);
});

test('docs/configuration.md has every variable that Ambit reads', async () => {
  const read = new Set<string>();
  for (const file of await readdir(join(repository, 'packages'), { recursive: true })) {
    if (!/^(client|runtime|server)\/src\/.*(?<!\.test)\.ts$/.test(file)) continue;
    const source = await readFile(join(repository, 'packages', file), 'utf8');
    for (const [, name = ''] of source.matchAll(/\['(AMBIT_\w+)'\]/g)) read.add(name);
  }
  const written = (await rowsOf('Variables and flags')).flatMap(({ names }) => names);
  expect(written.filter((name) => name.startsWith('AMBIT_')).toSorted()).toEqual([...read].toSorted());
});

/** The rows of a section whose first cell contains only names in backquotes. */
async function rowsOf(section: string): Promise<Row[]> {
  const page = await readFile(join(repository, 'docs/configuration.md'), 'utf8');
  const text = page.split(/^## /m).find((part) => part.startsWith(`${section}\n`)) ?? '';
  return [...text.matchAll(/^\| (`[^|]+`) \| (.*) \|$/gm)].map(([, names = '', cells = '']) => ({
    names: names.split(', ').map(bare),
    cells: cells.split(' | '),
  }));
}

function bare(text: string): string {
  return text.replaceAll('`', '');
}

/** Replaces names that the user chooses, as in `phases.<NAME>`. */
function inAnyName(key: string): string {
  return key.replace(/<\w+>/, '*');
}

interface Schema {
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
}

/** The paths of all keys: as deep as the page documents them, otherwise down to single values. */
function placesIn(schema: Schema, place: string, written: ReadonlySet<string>): string[] {
  const { properties = {}, additionalProperties: any } = schema;
  // A key that is always refused, with a sentence that says why.
  if ('not' in schema) return [];
  const inner = Object.entries(typeof any === 'object' ? { ...properties, '*': any } : properties);
  if (written.has(place) || inner.length === 0) return [place];
  return inner.flatMap(([key, value]) => placesIn(value, place === '' ? key : `${place}.${key}`, written));
}
