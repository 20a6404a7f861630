import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { daemonParts } from './daemon-parts.ts';
import { type Metrics, metrics } from './metrics.ts';

const page = new URL('../../../../docs/operations.md', import.meta.url);
const dashboard = new URL('../../../../packaging/grafana/ambit.json', import.meta.url);

/** All metrics of a daemon in a cluster. */
function allMetrics(): Metrics {
  const measured = metrics({ version: '1.0.0', partMs: 100 });
  const asleep = () => Promise.withResolvers<never>().promise;
  const never = () => {
    throw new Error('this test reads no values');
  };
  measured.cluster().measured({
    nodes: () => [],
    epoch: () => 1,
    leaseLeftMs: () => 0,
    pass: never,
    holders: { own: never, isRunning: never },
  });
  measured.read(
    daemonParts({
      queue: never,
      memory: never,
      hosts: never,
      prewarmed: never,
      workspaces: never,
      store: never,
      log: { progress: never, indexedThrough: asleep },
      files: { log: '/nowhere', index: '/nowhere', folder: '/nowhere' },
    }),
  );
  return measured;
}

/** The rows for all of Ambit's own metrics. */
function rows(): string[] {
  return allMetrics()
    .described()
    .map(({ name, type, labels, help }) => {
      const listed = labels.map((label) => `\`${label}\``).join(', ');
      return `| \`${name}\` | ${type} | ${listed} | ${help} |`;
    });
}

test('docs/operations.md lists each metric with its type, labels and HELP', async () => {
  const written = (await readFile(page, 'utf8'))
    .split('\n')
    .filter((line) => /^\| `ambit_\w+` \| (counter|gauge|histogram) /.test(line));
  expect(written).toEqual(rows());
});

/** The metrics that expressions select, each with the labels that it is selected by: `ambit_part_up part`. */
function selectedIn(expressions: string): string[] {
  const selected = new Set<string>();
  for (const [, name = '', matchers = ''] of expressions.matchAll(
    /\b((?:ambit|process|nodejs)_\w+)(?:\{([^}]*)\})?/g,
  )) {
    selected.add(name);
    for (const [, label] of matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)) selected.add(`${name} ${label}`);
  }
  return [...selected];
}

/** Everything that an expression can select. Prometheus adds the labels `job` and `instance`. */
async function selectable(): Promise<ReadonlySet<string>> {
  const measured = allMetrics();
  const { body } = await measured.scrape(undefined);
  const names = [...body.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = '', type]) =>
    type === 'histogram' ? ['_bucket', '_count', '_sum'].map((suffix) => name + suffix) : [name],
  );
  const own = new Map(measured.described().map(({ name, labels }) => [name, labels]));
  return new Set(
    names.flatMap((name) => [
      name,
      ...['job', 'instance', ...(own.get(name.replace(/_(?:bucket|count|sum)$/, '')) ?? [])].map(
        (label) => `${name} ${label}`,
      ),
    ]),
  );
}

test('each panel of the dashboard, and each documented alert, selects existing metrics by existing labels', async () => {
  const known = await selectable();
  const { panels } = JSON.parse(await readFile(dashboard, 'utf8')) as {
    panels: { type: string; title: string; targets?: { expr: string }[] }[];
  };
  const charts = panels.filter(({ type }) => type !== 'row');
  const written = await readFile(page, 'utf8');
  const rules = written.match(/^ +- alert: .*\n +expr: .*$/gm) ?? [];
  const expressions: [string, string][] = [
    ...charts.map(({ title, targets = [] }): [string, string] => [
      title,
      targets.map(({ expr }) => expr).join('\n'),
    ]),
    ...rules.map((rule): [string, string] => [rule.trim(), rule.replace(/^.*\n/, '')]),
  ];
  expect([charts.length, rules.length]).toEqual([
    new Set(charts.map(({ title }) => title)).size,
    written.match(/^ +- alert:/gm)?.length,
  ]);
  const wrong = expressions.flatMap(([where, text]) => {
    const selected = selectedIn(text);
    if (selected.length === 0 && !text.includes('up{')) return [`${where} selects nothing`];
    return selected.filter((each) => !known.has(each)).map((each) => `${where}: ${each}`);
  });
  expect(wrong).toEqual([]);
});
