// Who may import whom: ARCHITECTURE.md says it in words, this file holds it. test/architecture shows that each
// rule refuses what it should and permits its neighbour.

const test = '\\.test\\.ts$';

/** What other packages may import of a package. */
const entryPoints = [
  '^packages/[^/]+/src/index\\.ts$',
  '^packages/client/src/node\\.ts$',
  '^packages/core/src/(audit|execute|internal|legacy|prompt|select)\\.ts$',
];

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'core-imports-no-other-package',
      comment: 'server → runtime → core: core knows nobody.',
      severity: 'error',
      from: { path: '^packages/core/' },
      to: { path: '^packages/(?!core/)' },
    },
    {
      name: 'runtime-imports-core-only',
      comment: 'server → runtime → core: runtime knows core.',
      severity: 'error',
      from: { path: '^packages/runtime/' },
      to: { path: '^packages/(?!(core|runtime)/)' },
    },
    {
      name: 'server-imports-core-runtime-client-and-satellites-only',
      comment:
        'server → runtime → core, the client for its command line, and the satellites where a command asks for them.',
      severity: 'error',
      from: { path: '^packages/server/' },
      to: { path: '^packages/(?!(agents|client|core|migrate|runtime|server)/)' },
    },
    {
      name: 'agents-imports-core-only',
      comment: 'A satellite: core does not know it, and it knows only core.',
      severity: 'error',
      from: { path: '^packages/agents/' },
      to: { path: '^packages/(?!(agents|core)/)' },
    },
    {
      name: 'migrate-imports-core-and-runtime-only',
      comment: 'A satellite: core and runtime do not know it, and it knows only them.',
      severity: 'error',
      from: { path: '^packages/migrate/' },
      to: { path: '^packages/(?!(core|migrate|runtime)/)' },
    },
    {
      name: 'only-its-commands-load-migrate',
      comment: 'The daemon does not trust it with anything. Types are no code.',
      severity: 'error',
      from: { path: '^packages/', pathNot: ['^packages/(migrate|server/src/cli/migrate)/', test] },
      to: { path: '^packages/migrate/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'commands-load-migrate-when-they-run',
      comment: 'A daemon, and every other command, starts without it.',
      severity: 'error',
      from: { path: '^packages/', pathNot: ['^packages/server/src/cli/migrate/', test] },
      to: { path: '^packages/server/src/cli/migrate/', dynamic: false },
    },
    {
      name: 'agents-is-loaded-when-a-prompt-names-one',
      comment: 'A daemon starts without it. Types are no code.',
      severity: 'error',
      from: { path: '^packages/', pathNot: ['^packages/agents/', test] },
      to: { path: '^packages/agents/', dynamic: false, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'client-imports-no-other-package',
      comment: 'What it knows of the API it knows from the OpenAPI document.',
      severity: 'error',
      from: { path: '^packages/client/' },
      to: { path: '^packages/(?!client/)' },
    },
    {
      name: 'transports-call-no-daemon',
      comment:
        'The client is for the command line, and for what it shares of files; a door is what the client calls.',
      severity: 'error',
      from: { path: '^packages/server/src/(http|mcp|executions|wire|config)/', pathNot: test },
      to: { path: '^packages/client/' },
    },
    {
      name: 'client-runs-in-browsers',
      comment: 'What needs Node is in node/, behind a door of its own.',
      severity: 'error',
      from: {
        path: '^packages/client/src/',
        pathNot: ['^packages/client/src/(node(/|\\.ts$)|testing/)', test],
      },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'client-depends-on-nothing',
      comment: 'It is fetch and what a platform has; a browser loads all that it imports.',
      severity: 'error',
      from: { path: '^packages/client/src/', pathNot: [test, '/testing/'] },
      to: { path: '(^|/)node_modules/' },
    },
    {
      name: 'packages-import-packages-only',
      comment: 'What is shipped does not depend on tests, measurements, scripts or bundled skills.',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^(test|bench|scripts|examples|skills)/' },
    },
    {
      name: 'packages-meet-at-their-index',
      comment:
        'What package.json exports: the index, the subpaths of core, and what of the client needs Node.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/' },
      to: {
        path: '^packages/(?!$1/)[^/]+/',
        pathNot: entryPoints,
      },
    },
    {
      name: 'packages-are-imported-by-name',
      comment: 'As `@ambit/x`, so that package.json says who depends on whom; a relative path says nothing.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/' },
      to: { path: '^packages/(?!$1/)', dependencyTypes: ['local'] },
    },
    {
      name: 'tests-and-bench-import-the-index-only',
      comment:
        'They hold for the contract, not for the way it is kept; a test of an inner part lives beside that part. What lies in a folder named testing is help for any test.',
      severity: 'error',
      from: { path: '^(test|bench|examples)/' },
      to: {
        path: '^packages/[^/]+/',
        pathNot: [...entryPoints, '/testing/'],
      },
    },
    {
      name: 'examples-use-what-is-public',
      comment: 'They show what a program may rely on.',
      severity: 'error',
      from: { path: '^examples/' },
      to: { path: '^packages/core/src/internal\\.ts$' },
    },
    {
      name: 'core-does-no-io',
      comment: 'The domain has no I/O and no clock: whoever needs a node: module there needs a port instead.',
      severity: 'error',
      from: { path: '^packages/core/', pathNot: test },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'transports-do-not-know-one-another',
      comment: 'http, mcp, cli and audit meet in main.ts, where they are assembled.',
      severity: 'error',
      from: { path: '^packages/server/src/(http|mcp|cli|audit)/' },
      to: { path: '^packages/server/src/(http|mcp|cli|audit)/', pathNot: '^packages/server/src/$1/' },
    },
    {
      name: 'only-audit-opens-the-database',
      comment: 'One writer to the audit database, and one folder to read when asking what it writes.',
      severity: 'error',
      from: { path: '^packages/', pathNot: ['^packages/server/src/audit/', test] },
      to: { path: '(^|/)node_modules/better-sqlite3/|^better-sqlite3$|^(node:)?sqlite$' },
    },
    {
      name: 'only-process-spawns',
      comment: 'Whatever starts a program goes through one folder, where it is bounded and sandboxed.',
      severity: 'error',
      from: { path: '^packages/', pathNot: ['^packages/runtime/src/process/spawn/', test] },
      to: { path: '(^|/)node_modules/execa/|^execa$' },
    },
    {
      name: 'programs-start-through-execa',
      comment: 'One way to start a program, so that its options are reviewed in one place.',
      severity: 'error',
      from: { path: '^packages/', pathNot: test },
      to: { path: '^(node:)?(child_process|cluster)$' },
    },
    {
      name: 'only-egress-makes-certificates',
      comment: 'The one folder that holds the key which sandboxes trust.',
      severity: 'error',
      from: { path: '^packages/', pathNot: ['^packages/runtime/src/egress/', test] },
      to: { path: '(^|/)node_modules/@peculiar/|^@peculiar/' },
    },
    {
      name: 'only-mcp-imports-its-sdk',
      comment: 'The one folder that knows what the protocol looks like.',
      severity: 'error',
      from: { path: '^packages/', pathNot: ['^packages/server/src/mcp/', test] },
      to: { path: '(^|/)node_modules/@modelcontextprotocol/|^@modelcontextprotocol/' },
    },
    {
      name: 'only-metrics-imports-its-library',
      comment: 'The one folder that knows how measurements are kept and written.',
      severity: 'error',
      from: { path: '^packages/', pathNot: ['^packages/server/src/metrics/', test] },
      to: { path: '(^|/)node_modules/prom-client/|^prom-client$' },
    },
    {
      name: 'only-telemetry-imports-opentelemetry',
      comment:
        'The one folder that knows what carries traces; a daemon without an endpoint loads none of it.',
      severity: 'error',
      from: { path: '^packages/', pathNot: ['^packages/server/src/telemetry/', test] },
      to: { path: '(^|/)node_modules/@opentelemetry/|^@opentelemetry/' },
    },
    {
      name: 'transports-do-not-measure',
      comment: 'They are given whoever looks on, and do not know what becomes of it.',
      severity: 'error',
      from: { path: '^packages/server/src/(http|mcp|cli|audit)/' },
      to: { path: '^packages/server/src/(metrics|telemetry)/' },
    },
    {
      name: 'only-wasm-imports-extism',
      comment: 'The one folder that knows which WebAssembly runtime it is.',
      severity: 'error',
      from: { path: '^packages/', pathNot: ['^packages/runtime/src/wasm/', test] },
      to: { path: '(^|/)node_modules/@extism/|^@extism/' },
    },
    {
      name: 'shipped-code-imports-no-test-help',
      comment: 'A folder named testing is for tests.',
      severity: 'error',
      from: { path: '^packages/', pathNot: [test, '/testing/'] },
      to: { path: [test, '^packages/[^/]+/src/testing/'] },
    },
    {
      name: 'no-cycles',
      comment: 'What depends on itself cannot be read downward. Move what both need into a third file.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      comment: 'Nobody imports it and it imports nobody: dead, or not yet wired.',
      severity: 'error',
      from: {
        orphan: true,
        // The last runs inside of scripts' worlds, and is read as text.
        pathNot: [
          test,
          '^[^/]+$',
          '^scripts/[^/]+\\.mjs$',
          '^bench/main\\.ts$',
          '/script/inside/',
          '\\.d\\.ts$',
        ],
      },
      to: {},
    },
    {
      name: 'no-unresolvable',
      comment: 'An import that leads nowhere is not read, so no rule would hold for it.',
      severity: 'error',
      from: {},
      // What the host gives to scripts is no file.
      to: { couldNotResolve: true, pathNot: '^ambit$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['(^|/)dist/', '^packages/(as-sdk|[^/]+-as)/', '^test/fixtures/'] },
    // Types too: who knows the other's types knows the other.
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.mjs', '.js', '.cjs', '.json', '.d.ts'],
    },
  },
};
