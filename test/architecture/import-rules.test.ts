import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cruiseFolders, cruiseImports, unreadSources } from '../../scripts/check/imports.mjs';

/** The path and content of a file. */
type File = [path: string, text: string];

const packages = ['core', 'runtime', 'server', 'client', 'sdk', 'agents', 'migrate'];

/** A small repository whose imports are all permitted. */
const repository: File[] = [
  ['packages/core/src/index.ts', `export { skill } from './skill.ts';`],
  ['packages/core/src/internal.ts', `export { skill } from './skill.ts';`],
  ['packages/core/src/skill.ts', `import 'yaml';\nexport const skill = 1;`],
  [
    'packages/runtime/src/index.ts',
    `export { skill } from '@ambit/core';\nexport * from './process/spawn/run.ts';`,
  ],
  ['packages/runtime/src/process/spawn/run.ts', `import 'execa';`],
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
  ['packages/server/src/cli/migrate/run.ts', `export { moved } from '@ambit/migrate';`],
  [
    'packages/server/src/cli/commands.ts',
    `await import('./migrate/run.ts');\nawait import('@ambit/agents');`,
  ],
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
          ...(name === 'core' && { './internal': './src/internal.ts' }),
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

// Each refused import and its twin: the same import from a permitted place.
const cases: { rule: string; refused: File; permitted: File; also?: string[] }[] = [
  {
    rule: 'core-imports-no-other-package',
    refused: ['packages/core/src/new.ts', `import '@ambit/runtime';`],
    permitted: ['packages/server/src/new.ts', `import '@ambit/runtime';`],
  },
  {
    rule: 'runtime-imports-core-only',
    refused: ['packages/runtime/src/new.ts', `import '@ambit/server';`],
    permitted: ['packages/runtime/src/new.ts', `import '@ambit/core';`],
  },
  {
    rule: 'server-imports-core-runtime-client-and-satellites-only',
    refused: ['packages/server/src/new.ts', `import '@ambit/sdk';`],
    permitted: ['packages/server/src/cli/new.ts', `import '@ambit/client';`],
  },
  {
    rule: 'ai-imports-the-client-only',
    refused: ['packages/ai/src/new.ts', `import '@ambit/core';`],
    permitted: ['packages/ai/src/new.ts', `import '@ambit/client';`],
  },
  {
    rule: 'agents-imports-core-only',
    refused: ['packages/agents/src/new.ts', `import '@ambit/runtime';`],
    permitted: ['packages/agents/src/new.ts', `import '@ambit/core';`],
  },
  {
    rule: 'migrate-imports-core-and-runtime-only',
    refused: ['packages/migrate/src/new.ts', `import '@ambit/server';`],
    permitted: ['packages/migrate/src/new.ts', `import '@ambit/runtime';`],
  },
  {
    rule: 'only-its-commands-load-migrate',
    refused: ['packages/server/src/http/new.ts', `await import('@ambit/migrate');`],
    permitted: ['packages/server/src/cli/migrate/new.ts', `import '@ambit/migrate';`],
  },
  {
    rule: 'only-its-commands-load-migrate',
    refused: ['packages/server/src/cli/new.ts', `import { moved } from '@ambit/migrate';`],
    permitted: ['packages/server/src/cli/new.ts', `import type { moved } from '@ambit/migrate';`],
  },
  {
    rule: 'commands-load-migrate-when-they-run',
    refused: ['packages/server/src/cli/new.ts', `import './migrate/run.ts';`],
    permitted: ['packages/server/src/cli/new.ts', `await import('./migrate/run.ts');`],
  },
  {
    rule: 'agents-is-loaded-when-a-prompt-names-one',
    refused: ['packages/server/src/new.ts', `import { skill } from '@ambit/agents';`],
    permitted: ['packages/server/src/new.ts', `await import('@ambit/agents');`],
  },
  {
    rule: 'console-imports-client-and-core-only',
    refused: ['packages/console/src/new.ts', `import '@ambit/runtime';`],
    permitted: ['packages/console/src/new.ts', `import '@ambit/client';`],
  },
  {
    rule: 'client-imports-no-other-package',
    refused: ['packages/client/src/new.ts', `import type { skill } from '@ambit/core';`],
    permitted: ['packages/client/src/new.ts', `import './request.ts';`],
  },
  {
    rule: 'transports-call-no-daemon',
    refused: ['packages/server/src/http/new.ts', `import '@ambit/client';`],
    permitted: ['packages/server/src/setup/new.ts', `import '@ambit/client/node';`],
  },
  {
    rule: 'transports-call-no-daemon',
    refused: ['packages/server/src/jobs/new.ts', `import '@ambit/client';`],
    permitted: ['packages/server/src/runner/new.ts', `import '@ambit/client';`],
  },
  {
    rule: 'client-runs-in-browsers',
    refused: ['packages/client/src/new.ts', `import 'node:fs';`],
    permitted: ['packages/client/src/node/new.ts', `import 'node:fs';`],
  },
  {
    rule: 'client-depends-on-nothing',
    refused: ['packages/client/src/new.ts', `import 'yaml';`],
    permitted: ['packages/core/src/new.ts', `import 'yaml';`],
  },
  {
    rule: 'packages-import-packages-only',
    refused: ['packages/server/src/new.ts', `import '../../../scripts/check.mjs';`],
    permitted: ['test/architecture/new.test.ts', `import '../../scripts/check.mjs';`],
  },
  {
    rule: 'tests-of-packages-import-test-support-only',
    refused: ['packages/server/src/new.test.ts', `import '../../../bench/main.ts';`],
    permitted: ['packages/server/src/new.test.ts', `import '../../../test/support/folder.ts';`],
  },
  {
    rule: 'packages-meet-at-their-index',
    also: ['packages-are-imported-by-name'],
    refused: ['packages/server/src/new.ts', `import '../../core/src/skill.ts';`],
    permitted: ['packages/core/src/new.ts', `import './skill.ts';`],
  },
  {
    rule: 'packages-are-imported-by-name',
    refused: ['packages/server/src/new.ts', `import '../../core/src/index.ts';`],
    permitted: ['packages/server/src/new.ts', `import '@ambit/core';`],
  },
  {
    rule: 'no-unresolvable',
    refused: ['packages/server/src/new.ts', `import '@ambit/core/src/skill.ts';`],
    permitted: ['packages/server/src/new.ts', `import '@ambit/core';`],
  },
  {
    rule: 'tests-and-bench-import-the-index-only',
    refused: ['bench/new.ts', `import '../packages/core/src/skill.ts';`],
    permitted: ['bench/new.ts', `import '../packages/core/src/index.ts';`],
  },
  {
    rule: 'tests-and-bench-import-the-index-only',
    refused: ['test/soak/new.ts', `import '../../packages/runtime/src/process/spawn/run.ts';`],
    permitted: ['test/soak/new.ts', `import '../../packages/runtime/src/testing/sandbox.ts';`],
  },
  {
    rule: 'examples-use-what-is-public',
    refused: ['examples/bot/src/new.ts', `import '@ambit/core/internal';`],
    permitted: ['bench/new.ts', `import '@ambit/core/internal';`],
  },
  {
    rule: 'core-does-no-io',
    refused: ['packages/core/src/new.ts', `import { readFileSync } from 'node:fs';`],
    permitted: ['packages/core/src/new.test.ts', `import { readFileSync } from 'node:fs';`],
  },
  {
    rule: 'transports-do-not-know-one-another',
    refused: ['packages/server/src/http/new.ts', `import '../audit/log.ts';`],
    permitted: ['packages/server/src/new.ts', `import './audit/log.ts';`],
  },
  {
    rule: 'only-audit-and-store-use-sqlite',
    refused: ['packages/server/src/http/new.ts', `import Database from 'better-sqlite3';`],
    permitted: ['packages/server/src/audit/new.ts', `import Database from 'better-sqlite3';`],
  },
  {
    rule: 'only-process-spawns',
    refused: ['packages/runtime/src/process/new.ts', `import { execa } from 'execa';`],
    permitted: ['packages/runtime/src/process/spawn/new.ts', `import { execa } from 'execa';`],
  },
  {
    rule: 'programs-start-through-execa',
    refused: ['packages/runtime/src/process/spawn/new.ts', `import { spawn } from 'node:child_process';`],
    permitted: ['packages/runtime/src/process/spawn/new.ts', `import { execa } from 'execa';`],
  },
  {
    rule: 'programs-start-through-execa',
    refused: ['packages/server/src/new.ts', `const { spawn } = await import('node:child_process');`],
    permitted: ['packages/server/src/new.ts', `const { Worker } = await import('node:worker_threads');`],
  },
  {
    rule: 'only-egress-connects',
    refused: ['packages/runtime/src/process/new.ts', `import { connect, type Socket } from 'node:net';`],
    permitted: ['packages/runtime/src/egress/new.ts', `import { connect, type Socket } from 'node:net';`],
  },
  {
    rule: 'only-egress-connects',
    refused: ['packages/runtime/src/wasm/new.ts', `const { lookup } = await import('node:dns/promises');`],
    permitted: ['packages/runtime/src/wasm/new.ts', `import type { Socket } from 'node:net';`],
  },
  {
    rule: 'only-mcp-imports-its-sdk',
    refused: ['packages/server/src/http/new.ts', `import { McpServer } from '@modelcontextprotocol/server';`],
    permitted: [
      'packages/server/src/mcp/new.ts',
      `import { McpServer } from '@modelcontextprotocol/server';`,
    ],
  },
  {
    rule: 'only-metrics-imports-its-library',
    refused: ['packages/server/src/http/new.ts', `import { Counter } from 'prom-client';`],
    permitted: ['packages/server/src/metrics/new.ts', `import { Counter } from 'prom-client';`],
  },
  {
    rule: 'only-telemetry-imports-opentelemetry',
    refused: ['packages/server/src/http/new.ts', `import { SpanKind } from '@opentelemetry/api';`],
    permitted: ['packages/server/src/telemetry/new.ts', `import { SpanKind } from '@opentelemetry/api';`],
  },
  {
    rule: 'transports-do-not-measure',
    refused: ['packages/server/src/http/new.ts', `import { metrics } from '../metrics/metrics.ts';`],
    permitted: ['packages/server/src/setup/new.ts', `import { metrics } from '../metrics/metrics.ts';`],
  },
  {
    rule: 'only-wasm-imports-extism',
    refused: ['packages/runtime/src/process/new.ts', `import type { Plugin } from '@extism/extism';`],
    permitted: ['packages/runtime/src/wasm/new.ts', `import type { Plugin } from '@extism/extism';`],
  },
  {
    rule: 'shipped-code-imports-no-test-help',
    refused: ['packages/runtime/src/new.ts', `import './testing/sandbox.ts';`],
    permitted: ['packages/runtime/src/new.test.ts', `import './testing/sandbox.ts';`],
  },
  {
    rule: 'shipped-code-imports-no-test-help',
    refused: ['packages/server/src/http/new.ts', `import './testing/world.ts';`],
    permitted: ['packages/server/src/testing/new.ts', `import '../http/testing/world.ts';`],
  },
  {
    rule: 'no-cycles',
    refused: ['packages/core/src/new.ts', `import './new.ts';`],
    permitted: ['packages/core/src/new.ts', `import './index.ts';`],
  },
  {
    rule: 'no-orphans',
    refused: ['packages/core/src/new.ts', 'export const alone = 1;'],
    permitted: ['packages/core/src/new.ts', `export * from './skill.ts';`],
  },
];

describe('the rules for an import', () => {
  /** By the index of a case, the rules that its file violates, where the files of all cases are written at the same time. */
  let found: Record<'refused' | 'permitted', string[][]>;
  beforeAll(async () => {
    found = {
      refused: await violationsOfAll(cases.map(({ refused }) => refused)),
      permitted: await violationsOfAll(cases.map(({ permitted }) => permitted)),
    };
  });

  test.each(cases.map((each, at) => [each.rule, each.refused.join(': '), at] as const))(
    '%s refuses %s',
    (rule, _, at) => {
      expect(found.refused[at]).toEqual([rule, ...(cases[at]?.also ?? [])].toSorted());
    },
  );

  test.each(cases.map((each, at) => [each.rule, each.permitted.join(': '), at] as const))(
    '%s permits %s',
    (_rule, _, at) => {
      expect(found.permitted[at]).toEqual([]);
    },
  );
});

describe('no-folder-cycles', () => {
  const there: File = ['packages/core/src/a/there.ts', `import '../b/leaf.ts';`];
  const leaf: File = ['packages/core/src/b/leaf.ts', 'export const leaf = 1;'];
  const back = `import '../a/leaf.ts';`;
  const otherLeaf: File = ['packages/core/src/a/leaf.ts', 'export const leaf = 1;'];

  test('refuses two folders whose files import one another', async () => {
    expect(await folderCycles([there, leaf, otherLeaf, ['packages/core/src/b/back.ts', back]])).toEqual([
      'packages/core/src/a',
      'packages/core/src/b',
    ]);
  });

  test('permits imports in one direction, imports back by a test, and imports between a folder and its subfolder', async () => {
    expect(await folderCycles([there, leaf, otherLeaf, ['packages/core/src/b/back.test.ts', back]])).toEqual(
      [],
    );
    const inner: File = ['packages/core/src/a/inner/inner.ts', back.replace('../a', '..')];
    const outer: File = ['packages/core/src/a/outer.ts', `import './inner/inner.ts';`];
    expect(await folderCycles([inner, outer, otherLeaf])).toEqual([]);
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

/** The folders of cycles in a repository with additional files. */
async function folderCycles(files: readonly File[]): Promise<string[]> {
  for (const file of files) write(file);
  try {
    const { summary } = await cruiseFolders(root);
    expect(summary.violations.every(({ rule }) => rule.name === 'no-folder-cycles')).toBe(true);
    return summary.violations.map(({ from }) => from).toSorted();
  } finally {
    for (const [path] of files) rmSync(join(root, path));
  }
}

function write([path, text]: File): void {
  mkdirSync(join(root, dirname(path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
