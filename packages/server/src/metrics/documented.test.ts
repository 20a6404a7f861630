import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { daemonParts } from './daemon-parts.ts';
import { metrics } from './metrics.ts';

const page = new URL('../../../../docs/operations.md', import.meta.url);

/** The rows for all of Ambit's own metrics. */
async function rows(): Promise<string[]> {
  const measured = metrics({ version: '1.0.0', partMs: 100 });
  const asleep = () => Promise.withResolvers<never>().promise;
  const never = () => {
    throw new Error('this test reads no values');
  };
  measured.read(
    daemonParts({
      ...{ queue: never, hosts: never, prewarmed: never, workspaces: never, store: never },
      ...{ log: { progress: never, indexedThrough: asleep } },
      files: { log: '/nowhere', index: '/nowhere', folder: '/nowhere' },
    }),
  );
  return measured.described().map(({ name, type, labels, help }) => {
    const listed = labels.map((label) => `\`${label}\``).join(', ');
    return `| \`${name}\` | ${type} | ${listed} | ${help} |`;
  });
}

test('docs/operations.md lists each metric with its type, labels and HELP', async () => {
  const written = (await readFile(page, 'utf8'))
    .split('\n')
    .filter((line) => /^\| `ambit_\w+` \| (counter|gauge|histogram) /.test(line));
  expect(written).toEqual(await rows());
});
