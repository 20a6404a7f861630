import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cruiseImports, folderCycles, unreadSources } from '../../scripts/check/imports.mjs';

/** The path and content of a file. */
type File = [path: string, text: string];

const packages = ['core', 'runtime', 'api', 'server', 'cli', 'client', 'sdk', 'agents', 'migrate'];

/** A small repository whose imports are all permitted. */
const repository: File[] = [
  ['packages/core/src/index.ts', `export { skill } from './skill/skill.ts';`],
  ['packages/core/src/select.ts', `export { skill } from './skill/skill.ts';`],
  ['packages/core/src/skill/skill.ts', `import 'yaml';\nexport const skill = 1;`],
  ['packages/api/src/index.ts', `export { skill } from '@ambit/core';`],
  ['packages/runtime/src/index.ts', `export { skill } from '@ambit/core';\nexport * from './spawn/run.ts';`],
  ['packages/runtime/src/spawn/run.ts', `import 'execa';`],
  ['packages/runtime/src/wasm/run.ts', `import '@extism/extism';`],
  ['packages/runtime/src/testing/sandbox.ts', `import 'node:fs';`],
  ['packages/server/src/index.ts', `export * from './main.ts';`],
  [
    'packages/server/src/main.ts',
    `import './http/app.ts';\nimport './audit/log.ts';\nimport './metrics/metrics.ts';\nimport '@ambit/runtime';`,
  ],
  ['packages/server/src/http/app.ts', `import '@ambit/core';`],
  ['packages/server/src/http/testing/world.ts', `import 'node:fs';`],
  ['packages/server/src/audit/log.ts', `import 'better-sqlite3';`],
  ['packages/server/src/metrics/metrics.ts', `import 'prom-client';`],
  ['packages/client/src/index.ts', `export * from './request.ts';`],
  ['packages/client/src/request.ts', `export const request = 1;`],
  ['packages/client/src/node.ts', `import 'node:fs';`],
  ['packages/cli/src/migrate/run.ts', `export { moved } from '@ambit/migrate';`],
  ['packages/cli/src/index.ts', `await import('./migrate/run.ts');\nimport '@ambit/server';`],
  ['packages/agents/src/index.ts', `export { skill } from '@ambit/core';`],
  ['packages/migrate/src/index.ts', `import '@ambit/runtime';\nexport const moved = 1;`],
  ['packages/sdk/src/index.ts', `export * from './sdk.ts';`],
  ['packages/sdk/src/sdk.ts', `export const sdk = 1;`],
  [
    'test/e2e/start.test.ts',
    `import '@ambit/server';\nimport 'node:child_process';\nimport '@extism/extism';`,
  ],
  ['test/support/folder.ts', `import 'node:fs';`],
  ['bench/main.ts', `import '@ambit/core';\nimport 'better-sqlite3';`],
  ['examples/bot/src/main.ts', `import '@ambit/core';\nimport 'node:child_process';`],
  ['scripts/check.mjs', `import 'node:child_process';`],
  ...packages.map((name): File => {
    return [
      `packages/${name}/package.json`,
      JSON.stringify({
        name: `@ambit/${name}`,
        exports: {
          '.': './src/index.ts',
          ...(name === 'client' && { './node': './src/node.ts' }),
          ...(name === 'core' && { './select': './src/select.ts' }),
        },
      }),
    ];
  }),
  ...[
    ...['yaml', 'better-sqlite3', 'execa', 'prom-client', '@extism/extism'],
    ...['@modelcontextprotocol/server', '@opentelemetry/api'],
  ].flatMap((name): File[] => [
    [`node_modules/${name}/package.json`, JSON.stringify({ name, main: 'index.js' })],
    [`node_modules/${name}/index.js`, ''],
  ]),
];

let root: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'ambit-import-rules-'));
  for (const file of repository) write(file);
  mkdirSync(join(root, 'node_modules/@ambit'));
  for (const name of packages) {
    symlinkSync(join(root, 'packages', name), join(root, 'node_modules/@ambit', name));
  }
});

afterAll(() => {
  rmSync(root, { recursive: true });
});

test('finds no violation in a repository that follows the rules', async () => {
  expect(await violations()).toEqual([]);
});

/** The imports that some rules refuse, each with its twin: the same import from a permitted place, or a permitted one. */
const cases: [rules: string[], refused: File, permitted: File][] = [
  [
    ['core-imports-no-other-package'],
    ['packages/core/src/new.ts', "import '@ambit/runtime';"],
    ['packages/server/src/new.ts', "import '@ambit/runtime';"],
  ],
  [
    ['runtime-imports-core-only'],
    ['packages/runtime/src/new.ts', "import '@ambit/server';"],
    ['packages/runtime/src/new.ts', "import '@ambit/core';"],
  ],
  [
    ['server-imports-api-core-runtime-client-and-satellites-only', 'packages-meet-at-their-index'],
    ['packages/server/src/new.ts', "import '@ambit/sdk';"],
    ['packages/server/src/new.ts', "import '@ambit/client';"],
  ],
  [
    ['server-imports-api-core-runtime-client-and-satellites-only', 'packages-meet-at-their-index'],
    ['packages/server/src/new.ts', "import '@ambit/cli';"],
    ['packages/cli/src/new.ts', "import '@ambit/server';"],
  ],
  [
    ['cli-imports-server-client-and-below-only'],
    ['packages/cli/src/new.ts', "import type { skill } from '@ambit/agents';"],
    ['packages/server/src/new.ts', "import type { skill } from '@ambit/agents';"],
  ],
  [
    ['api-imports-core-only'],
    ['packages/api/src/new.ts', "import '@ambit/server';"],
    ['packages/api/src/new.ts', "import '@ambit/core';"],
  ],
  [
    ['api-does-no-io'],
    ['packages/api/src/new.ts', "import 'node:fs';"],
    ['packages/server/src/new.ts', "import 'node:fs';"],
  ],
  [
    ['ai-imports-the-client-only'],
    ['packages/ai/src/new.ts', "import '@ambit/core';"],
    ['packages/ai/src/new.ts', "import '@ambit/client';"],
  ],
  [
    ['agents-imports-core-only'],
    ['packages/agents/src/new.ts', "import '@ambit/runtime';"],
    ['packages/agents/src/new.ts', "import '@ambit/core';"],
  ],
  [
    ['migrate-imports-core-and-runtime-only'],
    ['packages/migrate/src/new.ts', "import '@ambit/server';"],
    ['packages/migrate/src/new.ts', "import '@ambit/runtime';"],
  ],
  [
    ['only-its-commands-load-migrate', 'server-imports-api-core-runtime-client-and-satellites-only'],
    ['packages/server/src/http/new.ts', "await import('@ambit/migrate');"],
    ['packages/cli/src/migrate/new.ts', "import '@ambit/migrate';"],
  ],
  [
    ['only-its-commands-load-migrate'],
    ['packages/cli/src/new.ts', "import { moved } from '@ambit/migrate';"],
    ['packages/cli/src/new.ts', "import type { moved } from '@ambit/migrate';"],
  ],
  [
    ['commands-load-migrate-when-they-run'],
    ['packages/cli/src/new.ts', "import './migrate/run.ts';"],
    ['packages/cli/src/new.ts', "await import('./migrate/run.ts');"],
  ],
  [
    ['agents-is-loaded-when-a-prompt-names-one'],
    ['packages/server/src/new.ts', "import { skill } from '@ambit/agents';"],
    ['packages/server/src/new.ts', "await import('@ambit/agents');"],
  ],
  [
    ['console-imports-client-and-core-only'],
    ['packages/console/src/new.ts', "import '@ambit/runtime';"],
    ['packages/console/src/new.ts', "import '@ambit/client';"],
  ],
  [
    ['client-imports-no-other-package'],
    ['packages/client/src/new.ts', "import type { skill } from '@ambit/core';"],
    ['packages/client/src/new.ts', "import './request.ts';"],
  ],
  [
    ['client-imports-types-of-the-contracts-only'],
    ['packages/client/src/new.ts', "import { route } from '@ambit/api';"],
    ['packages/client/src/new.ts', "import type { route } from '@ambit/api';"],
  ],
  [
    ['transports-call-no-daemon'],
    ['packages/server/src/http/new.ts', "import '@ambit/client';"],
    ['packages/server/src/setup/new.ts', "import '@ambit/client/node';"],
  ],
  [
    ['transports-call-no-daemon'],
    ['packages/server/src/jobs/new.ts', "import '@ambit/client';"],
    ['packages/cli/src/runner/new.ts', "import '@ambit/client';"],
  ],
  [
    ['client-runs-in-browsers'],
    ['packages/client/src/new.ts', "import 'node:fs';"],
    ['packages/client/src/node/new.ts', "import 'node:fs';"],
  ],
  [
    ['client-depends-on-nothing'],
    ['packages/client/src/new.ts', "import 'yaml';"],
    ['packages/core/src/new.ts', "import 'yaml';"],
  ],
  [
    ['packages-import-packages-only'],
    ['packages/server/src/new.ts', "import '../../../scripts/check.mjs';"],
    ['test/architecture/new.test.ts', "import '../../scripts/check.mjs';"],
  ],
  [
    ['tests-of-packages-import-test-support-only'],
    ['packages/server/src/new.test.ts', "import '../../../bench/main.ts';"],
    ['packages/server/src/new.test.ts', "import '../../../test/support/folder.ts';"],
  ],
  [
    ['packages-meet-at-their-index', 'packages-are-imported-by-name'],
    ['packages/server/src/new.ts', "import '../../core/src/skill/skill.ts';"],
    ['packages/core/src/new.ts', "import './skill/skill.ts';"],
  ],
  [
    ['packages-are-imported-by-name'],
    ['packages/server/src/new.ts', "import '../../core/src/index.ts';"],
    ['packages/server/src/new.ts', "import '@ambit/core';"],
  ],
  [
    ['no-unresolvable'],
    ['packages/server/src/new.ts', "import '@ambit/core/src/skill/skill.ts';"],
    ['packages/server/src/new.ts', "import '@ambit/core';"],
  ],
  [
    ['tests-and-bench-import-the-index-only'],
    ['bench/new.ts', "import '../packages/core/src/skill/skill.ts';"],
    ['bench/new.ts', "import '../packages/core/src/index.ts';"],
  ],
  [
    ['packages-meet-at-their-index', 'packages-are-imported-by-name'],
    ['packages/cli/src/new.test.ts', "import '../../server/src/http/app.ts';"],
    ['packages/cli/src/new.test.ts', "import '../../server/src/http/testing/world.ts';"],
  ],
  [
    ['shipped-code-imports-no-test-help'],
    ['packages/cli/src/new.ts', "import '../../server/src/http/testing/world.ts';"],
    ['packages/cli/src/testing/new.ts', "import '../../../server/src/http/testing/world.ts';"],
  ],
  [
    ['tests-and-bench-import-the-index-only'],
    ['test/soak/new.ts', "import '../../packages/runtime/src/spawn/run.ts';"],
    ['test/soak/new.ts', "import '../../packages/runtime/src/testing/sandbox.ts';"],
  ],
  [
    ['core-does-no-io'],
    ['packages/core/src/new.ts', "import { readFileSync } from 'node:fs';"],
    ['packages/core/src/new.test.ts', "import { readFileSync } from 'node:fs';"],
  ],
  [
    ['transports-do-not-know-one-another'],
    ['packages/server/src/http/new.ts', "import '../audit/log.ts';"],
    ['packages/server/src/new.ts', "import './audit/log.ts';"],
  ],
  [
    ['only-audit-and-store-use-sqlite'],
    ['packages/server/src/http/new.ts', "import Database from 'better-sqlite3';"],
    ['packages/server/src/audit/new.ts', "import Database from 'better-sqlite3';"],
  ],
  [
    ['only-process-spawns'],
    ['packages/runtime/src/process/new.ts', "import { execa } from 'execa';"],
    ['packages/runtime/src/spawn/new.ts', "import { execa } from 'execa';"],
  ],
  [
    ['programs-start-through-execa'],
    ['packages/runtime/src/spawn/new.ts', "import { spawn } from 'node:child_process';"],
    ['packages/runtime/src/spawn/new.ts', "import { execa } from 'execa';"],
  ],
  [
    ['programs-start-through-execa'],
    ['packages/server/src/new.ts', "const { spawn } = await import('node:child_process');"],
    ['packages/server/src/new.ts', "const { Worker } = await import('node:worker_threads');"],
  ],
  [
    ['only-egress-connects'],
    ['packages/runtime/src/process/new.ts', "import { connect, type Socket } from 'node:net';"],
    ['packages/runtime/src/egress/new.ts', "import { connect, type Socket } from 'node:net';"],
  ],
  [
    ['only-egress-connects'],
    ['packages/runtime/src/wasm/new.ts', "const { lookup } = await import('node:dns/promises');"],
    ['packages/runtime/src/wasm/new.ts', "import type { Socket } from 'node:net';"],
  ],
  [
    ['only-mcp-imports-its-sdk'],
    ['packages/server/src/http/new.ts', "import { McpServer } from '@modelcontextprotocol/server';"],
    ['packages/server/src/mcp/new.ts', "import { McpServer } from '@modelcontextprotocol/server';"],
  ],
  [
    ['only-metrics-imports-its-library'],
    ['packages/server/src/http/new.ts', "import { Counter } from 'prom-client';"],
    ['packages/server/src/metrics/new.ts', "import { Counter } from 'prom-client';"],
  ],
  [
    ['only-telemetry-imports-opentelemetry'],
    ['packages/server/src/http/new.ts', "import { SpanKind } from '@opentelemetry/api';"],
    ['packages/server/src/telemetry/new.ts', "import { SpanKind } from '@opentelemetry/api';"],
  ],
  [
    ['transports-do-not-measure'],
    ['packages/server/src/http/new.ts', "import { metrics } from '../metrics/metrics.ts';"],
    ['packages/server/src/setup/new.ts', "import { metrics } from '../metrics/metrics.ts';"],
  ],
  [
    ['only-wasm-imports-extism'],
    ['packages/runtime/src/process/new.ts', "import type { Plugin } from '@extism/extism';"],
    ['packages/runtime/src/wasm/new.ts', "import type { Plugin } from '@extism/extism';"],
  ],
  [
    ['shipped-code-imports-no-test-help'],
    ['packages/runtime/src/new.ts', "import './testing/sandbox.ts';"],
    ['packages/runtime/src/new.test.ts', "import './testing/sandbox.ts';"],
  ],
  [
    ['shipped-code-imports-no-test-help'],
    ['packages/server/src/http/new.ts', "import './testing/world.ts';"],
    ['packages/server/src/testing/new.ts', "import '../http/testing/world.ts';"],
  ],
  [
    ['no-cycles'],
    ['packages/core/src/new.ts', "import './new.ts';"],
    ['packages/core/src/new.ts', "import './index.ts';"],
  ],
  [
    ['no-orphans'],
    ['packages/core/src/new.ts', 'export const alone = 1;'],
    ['packages/core/src/new.ts', "export * from './skill/skill.ts';"],
  ],
];

describe('the rules for an import', () => {
  /** By the index of a case, the rules that its file violates, where the files of all cases are written at the same time. */
  let found: Record<'refused' | 'permitted', string[][]>;
  beforeAll(async () => {
    found = {
      refused: await violationsOfAll(cases.map(([, refused]) => refused)),
      permitted: await violationsOfAll(cases.map(([, , permitted]) => permitted)),
    };
  });

  test.each(cases.map(([[rule], refused], at) => [rule, refused.join(': '), at] as const))(
    '%s refuses %s',
    (_rule, _, at) => {
      expect(found.refused[at]).toEqual(cases[at]?.[0].toSorted());
    },
  );

  test.each(cases.map(([[rule], , permitted], at) => [rule, permitted.join(': '), at] as const))(
    '%s permits %s',
    (_rule, _, at) => {
      expect(found.permitted[at]).toEqual([]);
    },
  );
});

describe('folders that import one another', () => {
  const there: File = ['packages/core/src/a/there.ts', `import '../b/leaf.ts';`];
  const leaf: File = ['packages/core/src/b/leaf.ts', 'export const leaf = 1;'];
  const back = `import '../a/leaf.ts';`;
  const otherLeaf: File = ['packages/core/src/a/leaf.ts', 'export const leaf = 1;'];

  test('are found with an import of each', async () => {
    expect(await cyclesWith([there, leaf, otherLeaf, ['packages/core/src/b/back.ts', back]])).toEqual([
      'packages/core/src: packages/core/src/a/there.ts → packages/core/src/b/leaf.ts',
      'packages/core/src: packages/core/src/b/back.ts → packages/core/src/a/leaf.ts',
    ]);
  });

  test('are found at every level, also through a third folder', async () => {
    expect(
      await cyclesWith([
        ['packages/core/src/in/a/deep/there.ts', `import '../../b/leaf.ts';`],
        ['packages/core/src/in/b/leaf.ts', `import '../c/deep/leaf.ts';`],
        ['packages/core/src/in/c/deep/leaf.ts', `import '../../a/leaf.ts';`],
        ['packages/core/src/in/a/leaf.ts', 'export const leaf = 1;'],
      ]),
    ).toEqual([
      'packages/core/src/in: packages/core/src/in/a/deep/there.ts → packages/core/src/in/b/leaf.ts',
      'packages/core/src/in: packages/core/src/in/b/leaf.ts → packages/core/src/in/c/deep/leaf.ts',
      'packages/core/src/in: packages/core/src/in/c/deep/leaf.ts → packages/core/src/in/a/leaf.ts',
    ]);
  });

  test('are not: imports in one direction, imports back by a test, and imports between a folder and its subfolder', async () => {
    expect(await cyclesWith([there, leaf, otherLeaf, ['packages/core/src/b/back.test.ts', back]])).toEqual(
      [],
    );
    const inner: File = ['packages/core/src/a/inner/inner.ts', back.replace('../a', '..')];
    const outer: File = ['packages/core/src/a/outer.ts', `import './inner/inner.ts';`];
    expect(await cyclesWith([inner, outer, otherLeaf])).toEqual([]);
  });
});

test('names source files that were not read, and no others', async () => {
  const files = repository.map(([path]) => path).filter((path) => !path.startsWith('node_modules/'));

  expect(unreadSources(await cruiseImports(root), files)).toEqual([]);
  expect(unreadSources(await cruiseImports(root, ['packages/core']), files)).toEqual(
    files.filter((file) => /\.(ts|mjs)$/.test(file) && !file.startsWith('packages/core/')),
  );
});

/** The rules that the repository violates, each with the violating file. */
async function violations(): Promise<string[]> {
  const { summary } = await cruiseImports(root);
  return summary.violations.map(({ rule, from }) => `${rule.name} ${from}`).toSorted();
}

/** The rules that each of some additional files violates. */
async function violationsOfAll(files: readonly File[]): Promise<string[][]> {
  // Files of several cases have one path.
  const own = files.map((file, at) => file.map((each) => each.replace('new.', `new-${at}.`)) as File);
  for (const file of own) write(file);
  try {
    const { summary } = await cruiseImports(root);
    return own.map(([path]) =>
      summary.violations
        .filter(({ from }) => from === path)
        .map(({ rule }) => rule.name)
        .toSorted(),
    );
  } finally {
    for (const [path] of own) rmSync(join(root, path));
  }
}

/** The cycles of folders in a repository with additional files. */
async function cyclesWith(files: readonly File[]): Promise<string[]> {
  for (const file of files) write(file);
  try {
    return folderCycles(await cruiseImports(root)).toSorted();
  } finally {
    for (const [path] of files) rmSync(join(root, path));
  }
}

function write([path, text]: File): void {
  mkdirSync(join(root, dirname(path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
