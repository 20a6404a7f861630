// The import rules. ARCHITECTURE.md describes them. test/architecture checks that each rule refuses what
// it should and permits its neighbour.

const { readdirSync } = require('node:fs');
const { join } = require('node:path');

const test = '\\.test\\.ts$';

/** The files that other packages may import of a package: what its package.json exports. */
const entryPoints = readdirSync(join(__dirname, 'packages')).flatMap((name) => {
  const { exports = {} } = require(`./packages/${name}/package.json`);
  const files = Object.values(exports).filter((file) => typeof file === 'string');
  return files.map((file) => `^packages/${name}/${file.slice(2).replaceAll('.', '\\.')}$`);
});

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'core-imports-no-other-package',
      comment: 'server → runtime → core: core imports no other package.',
      severity: 'error',
      from: { path: '^packages/core/' },
      to: { path: '^packages/(?!core/)' },
    },
    {
      name: 'runtime-imports-core-only',
      comment: 'server → runtime → core: runtime imports core.',
      severity: 'error',
      from: { path: '^packages/runtime/' },
      to: { path: '^packages/(?!(core|runtime)/)' },
    },
    {
      name: 'api-imports-core-only',
      comment: 'server → api → core: contracts and schemas, which the server and clients share.',
      severity: 'error',
      from: { path: '^packages/api/' },
      to: { path: '^packages/(?!(api|core)/)' },
    },
    {
      name: 'api-does-no-io',
      comment: 'Contracts are data. What depends on the running daemon is in the handler.',
      severity: 'error',
      from: { path: '^packages/api/', pathNot: test },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'server-imports-api-core-runtime-client-and-satellites-only',
      comment:
        'cli → server → runtime → core, the contracts, the files of the client, and satellites for the calls that need them.',
      severity: 'error',
      from: { path: '^packages/server/' },
      to: { path: '^packages/(?!(agents|api|client|core|installs|runtime|server)/)' },
    },
    {
      name: 'cli-imports-server-client-and-below-only',
      comment:
        'cli → server → runtime → core, the client of the daemon, the contracts, and imports of skills.',
      severity: 'error',
      from: { path: '^packages/cli/' },
      to: { path: '^packages/(?!(api|cli|client|core|migrate|runtime|server)/)' },
    },
    {
      name: 'agents-imports-core-only',
      comment: 'A satellite: core does not import it, and it imports only core.',
      severity: 'error',
      from: { path: '^packages/agents/' },
      to: { path: '^packages/(?!(agents|core)/)' },
    },
    {
      name: 'migrate-imports-core-and-runtime-only',
      comment: 'A satellite: core and runtime do not import it, and it imports only them.',
      severity: 'error',
      from: { path: '^packages/migrate/' },
      to: { path: '^packages/(?!(core|migrate|runtime)/)' },
    },
    {
      name: 'installs-imports-core-and-runtime-only',
      comment: 'A satellite: core and runtime do not import it, and it imports only them.',
      severity: 'error',
      from: { path: '^packages/installs/' },
      to: { path: '^packages/(?!(core|installs|runtime)/)' },
    },
    {
      name: 'only-one-action-loads-installs',
      comment: 'The daemon and every other command start without loading it. Type imports are allowed.',
      severity: 'error',
      from: { path: '^packages/', pathNot: ['^packages/installs/', test] },
      to: { path: '^packages/installs/', dynamic: false, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'only-its-commands-load-migrate',
      comment: 'The daemon does not depend on it. Type imports are allowed.',
      severity: 'error',
      from: { path: '^packages/', pathNot: ['^packages/(migrate|cli/src/migrate)/', test] },
      to: { path: '^packages/migrate/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'commands-load-migrate-when-they-run',
      comment: 'The daemon and every other command start without loading it.',
      severity: 'error',
      from: { path: '^packages/', pathNot: ['^packages/cli/src/migrate/', test] },
      to: { path: '^packages/cli/src/migrate/', dynamic: false },
    },
    {
      name: 'agents-is-loaded-when-a-prompt-names-one',
      comment: 'The daemon starts without loading it. Type imports are allowed.',
      severity: 'error',
      from: { path: '^packages/', pathNot: ['^packages/agents/', test] },
      to: { path: '^packages/agents/', dynamic: false, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'console-imports-client-and-core-only',
      comment: 'It runs in a browser. The client knows the API; core has rules without I/O.',
      severity: 'error',
      from: { path: '^packages/console/' },
      to: { path: '^packages/(?!(client|console|core)/)' },
    },
    {
      name: 'client-imports-no-other-package',
      comment:
        'It runs in browsers and depends on nothing. Its types come from the contracts in packages/api.',
      severity: 'error',
      from: { path: '^packages/client/' },
      to: { path: '^packages/(?!(client|api)/)' },
    },
    {
      name: 'client-imports-types-of-the-contracts-only',
      comment: 'The contracts need zod. Packing the client writes out the types that it derives from them.',
      severity: 'error',
      from: { path: '^packages/client/', pathNot: '\\.test\\.ts$' },
      to: { path: '^packages/api/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'ai-imports-the-client-only',
      comment: 'A bot installs it beside the client, without the rest.',
      severity: 'error',
      from: { path: '^packages/ai/' },
      to: { path: '^packages/(?!(ai|client)/)' },
    },
    {
      name: 'transports-call-no-daemon',
      comment:
        'The client is for the command line and the file formats it shares. A transport is what the client calls.',
      severity: 'error',
      from: { path: '^packages/server/src/(http|mcp|jobs|wire|config)/', pathNot: test },
      to: { path: '^packages/client/' },
    },
    {
      name: 'client-runs-in-browsers',
      comment: 'Code that needs Node is in node/, which has its own entry point.',
      severity: 'error',
      from: {
        path: '^packages/client/src/',
        pathNot: ['^packages/client/src/(node(/|\\.ts$)|testing/)', test],
      },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'client-depends-on-nothing',
      comment: 'It uses only fetch and the platform. A browser would load every import.',
      severity: 'error',
      from: { path: '^packages/client/src/', pathNot: [test, '/testing/'] },
      to: { path: '(^|/)node_modules/' },
    },
    {
      name: 'packages-import-packages-only',
      comment: 'Shipped code does not depend on tests, benchmarks, scripts or bundled skills.',
      severity: 'error',
      from: { path: '^packages/', pathNot: [test, '/testing/'] },
      to: { path: '^(test|bench|scripts|examples|skills)/' },
    },
    {
      name: 'tests-of-packages-import-test-support-only',
      comment: 'What all tests share. Tests across packages are below /test.',
      severity: 'error',
      from: { path: ['^packages/.+\\.test\\.ts$', '^packages/.+/testing/'] },
      to: { path: '^(test|bench|scripts|examples|skills)/', pathNot: '^test/support/' },
    },
    {
      name: 'packages-meet-at-their-index',
      comment:
        'The exports of package.json: the index, and the subpaths of core, server and client. Tests may use folders named testing.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/' },
      to: {
        path: '^packages/(?!$1/)[^/]+/',
        pathNot: [...entryPoints, '/testing/'],
      },
    },
    {
      name: 'packages-are-imported-by-name',
      comment:
        'By name, as `@ambit/x`, so package.json lists every dependency. A relative path bypasses it. Folders named testing have no name.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/' },
      to: { path: '^packages/(?!$1/)', pathNot: '/testing/', dependencyTypes: ['local'] },
    },
    {
      name: 'tests-and-bench-import-the-index-only',
      comment:
        'They test the contract, not its implementation. Tests of internals are beside them. Any test may use folders named testing.',
      severity: 'error',
      from: { path: '^(test|bench|examples)/' },
      to: {
        path: '^packages/[^/]+/',
        pathNot: [...entryPoints, '/testing/'],
      },
    },
    {
      name: 'core-does-no-io',
      comment: 'The domain has no I/O and no clock. Instead of a node: module, define a port.',
      severity: 'error',
      from: { path: '^packages/core/', pathNot: test },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'transports-do-not-know-one-another',
      comment: 'app/ and local/ combine http, mcp and audit.',
      severity: 'error',
      from: { path: '^packages/server/src/(http|mcp|audit)/' },
      to: { path: '^packages/server/src/(http|mcp|audit)/', pathNot: '^packages/server/src/$1/' },
    },
    {
      name: 'only-audit-and-store-use-sqlite',
      comment: 'The audit log and the store each have one writer, in one folder.',
      severity: 'error',
      from: { path: '^packages/', pathNot: ['^packages/server/src/(audit|store)/', test] },
      to: { path: '(^|/)node_modules/better-sqlite3/|^better-sqlite3$|^(node:)?sqlite$' },
    },
    {
      name: 'only-process-spawns',
      comment: 'One folder starts programs, with limits and a sandbox.',
      severity: 'error',
      from: { path: '^packages/', pathNot: ['^packages/runtime/src/spawn/', test] },
      to: { path: '(^|/)node_modules/execa/|^execa$' },
    },
    {
      name: 'programs-start-through-execa',
      comment: 'One way to start programs, so their options are reviewed in one place.',
      severity: 'error',
      from: { path: '^packages/', pathNot: test },
      to: { path: '^(node:)?(child_process|cluster)$' },
    },
    {
      name: 'only-egress-connects',
      comment: 'One folder of runtime opens connections, with checked addresses. Type imports are allowed.',
      severity: 'error',
      from: { path: '^packages/runtime/', pathNot: ['^packages/runtime/src/egress/', test] },
      to: {
        path: '^(node:)?(net|tls|http|https|http2|dgram|dns|dns/promises)$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'only-egress-and-nodes-make-certificates',
      comment:
        'The only folder with the key that sandboxes trust, and the one with the keys of nodes. Tests may make their own.',
      severity: 'error',
      from: {
        path: '^packages/',
        pathNot: [
          '^packages/runtime/src/egress/',
          '^packages/server/src/cluster/identity/',
          test,
          '/testing/',
        ],
      },
      to: { path: '(^|/)node_modules/@peculiar/|^@peculiar/' },
    },
    {
      name: 'only-mcp-imports-its-sdk',
      comment: 'The only folder that knows the protocol.',
      severity: 'error',
      from: { path: '^packages/', pathNot: ['^packages/server/src/mcp/', test] },
      to: { path: '(^|/)node_modules/@modelcontextprotocol/|^@modelcontextprotocol/' },
    },
    {
      name: 'only-metrics-imports-its-library',
      comment: 'The only folder that knows how metrics are stored and written.',
      severity: 'error',
      from: { path: '^packages/', pathNot: ['^packages/server/src/metrics/', test] },
      to: { path: '(^|/)node_modules/prom-client/|^prom-client$' },
    },
    {
      name: 'only-telemetry-imports-opentelemetry',
      comment:
        'The only folder that knows how traces are sent. A daemon without an endpoint does not load the library.',
      severity: 'error',
      from: { path: '^packages/', pathNot: ['^packages/server/src/telemetry/', test] },
      to: { path: '(^|/)node_modules/@opentelemetry/|^@opentelemetry/' },
    },
    {
      name: 'transports-do-not-measure',
      comment: 'They receive observers and do not know what the observers do.',
      severity: 'error',
      from: { path: '^packages/server/src/(http|mcp|audit)/' },
      to: { path: '^packages/server/src/(metrics|telemetry)/' },
    },
    {
      name: 'only-wasm-imports-extism',
      comment: 'The only folder that knows the WebAssembly runtime.',
      severity: 'error',
      from: { path: '^packages/', pathNot: ['^packages/runtime/src/wasm/', test] },
      to: { path: '(^|/)node_modules/@extism/|^@extism/' },
    },
    {
      name: 'shipped-code-imports-no-test-help',
      comment: 'Folders named testing are for tests.',
      severity: 'error',
      from: { path: '^packages/', pathNot: [test, '/testing/'] },
      to: { path: [test, '^packages/.+/testing/'] },
    },
    {
      name: 'no-cycles',
      comment: 'A cycle cannot be read downward. Move the shared part into a third file.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      comment: 'It neither imports nor is imported: dead code, or not yet used.',
      severity: 'error',
      from: {
        orphan: true,
        // /script/inside/ runs in the scripts' engine and is read as text.
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
      comment: 'An unresolved import is not read, so no rule would apply to it.',
      severity: 'error',
      from: {},
      // The host's module for scripts is not a file.
      to: { couldNotResolve: true, pathNot: '^ambit$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['(^|/)dist/', '^packages/(as-sdk|[^/]+-as)/', '^test/fixtures/'] },
    // Includes type imports: they are dependencies too.
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.cjs', '.json', '.d.ts'],
    },
  },
};
