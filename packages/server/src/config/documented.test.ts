import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tierCeilings } from '@ambit/core/policy';
import { expect, test } from 'vitest';

const repository = fileURLToPath(new URL('../../../../', import.meta.url));

/** A row of docs/configuration.md: the names in its first cell, and the other cells. */
interface Row {
  names: string[];
  cells: string[];
}

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
    if (!/^(cli|client|runtime|server)\/src\/.*(?<!\.test)\.ts$/.test(file)) continue;
    const source = await readFile(join(repository, 'packages', file), 'utf8');
    for (const [, name = ''] of source.matchAll(/(?:\[|env: )'(AMBIT_\w+)'(?!\] = )/g)) read.add(name);
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
