import { byRoot, debianPackages, debianPostgres, mounts, network, postgres, programs } from './needs.mjs';

/**
 * A part of `npm run test:all`.
 * @typedef {object} Part
 * @property {string} name
 * @property {string} checks in a line
 * @property {string} time roughly, on two cores
 * @property {readonly string[]} command a Node script of the repository with its arguments
 * @property {readonly import('./needs.mjs').Need[]} [needs]
 * @property {boolean} [needsQuiet] because it measures how long something takes: on a busy machine, it runs only when it is named
 * @property {string} [takes] arguments other than options, for the help
 * @property {string} [requires] why it runs only when it is named
 * @property {boolean} [isWhole] whether it runs long corpora whole (test/support/whole.ts)
 * @property {boolean} [isInSuites] whether the part `suites` includes it
 */

/** @type {(...args: string[]) => readonly string[]} */
const vitest = (...args) => [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--reporter=./scripts/check/progress.mjs',
  ...args,
];

/** @type {readonly Part[]} */
export const parts = [
  {
    name: 'suites',
    checks: 'every suite of npm test, with all cases of the long corpora',
    time: '40 min',
    command: ['scripts/check.mjs', '--only', 'tests'],
    isWhole: true,
  },
  {
    name: 'python',
    checks: 'every script of the Python corpus behaves in WebAssembly as under python3',
    time: '5 min',
    command: vitest('--project', 'conformance', 'test/conformance/python-scripts.test.ts'),
    isInSuites: true,
    isWhole: true,
  },
  {
    name: 'archives',
    checks: 'hostile archives, in every format',
    time: '5 min',
    command: vitest('--project', 'unit', 'packages/installs/src/'),
    isInSuites: true,
    isWhole: true,
  },
  {
    name: 'fuzz',
    checks: 'twenty thousand requests generated from the OpenAPI document, and each response against it',
    time: '10 min',
    command: ['test/conformance/openapi-fuzz.ts'],
  },
  {
    name: 'mcp',
    checks: 'the published MCP conformance suite, against the daemon',
    time: '1 min',
    command: ['test/conformance/mcp.ts'],
  },
  {
    name: 'openapi',
    checks: 'four published generators and two linters, on the OpenAPI document',
    time: '3 min',
    command: ['test/conformance/openapi-generators.ts'],
    needs: [network],
  },
  {
    name: 'prometheus',
    checks: "the daemon's metrics and every documented alert, in a real Prometheus",
    time: '1 min',
    command: ['test/prometheus/main.ts'],
    needs: [programs(['prometheus', 'promtool'], 'prometheus')],
  },
  {
    name: 'postgres',
    checks: 'the store and the audit log on an installed PostgreSQL',
    time: '3 min',
    command: ['scripts/test-postgres.mjs'],
    needs: [debianPostgres],
    isWhole: true,
  },
  {
    name: 'nodes',
    checks: "the README's session on the lowest supported Node and the newest of each major version",
    time: '5 min',
    command: ['scripts/test-nodes.mjs'],
    needs: [network],
  },
  {
    name: 'service',
    checks: 'the Debian package and its service, in a Debian that systemd runs',
    time: '3 min',
    command: ['test/service/main.ts'],
    needs: [
      byRoot,
      programs(['debootstrap', 'systemd-nspawn', 'dpkg-deb'], 'debootstrap systemd-container dpkg'),
    ],
  },
  {
    name: 'image',
    checks: 'the image and the settings of containers; --engine chooses podman or docker',
    time: '10 min',
    command: ['test/image/main.ts'],
    needs: [
      byRoot,
      mounts,
      programs(
        ['podman', 'buildah', 'runc', 'debootstrap'],
        '--no-install-recommends podman buildah runc debootstrap docker.io',
      ),
    ],
  },
  {
    name: 'first-start',
    checks: 'a fresh clone starts, checks and packs without files from shared folders',
    time: '10 min',
    command: ['test/soak/first-start.ts'],
    needs: [programs(['strace']), network],
  },
  {
    name: 'mutants',
    checks: 'guarantees broken one after the other in a copy of the repository, and tests that notice each',
    time: '5 min',
    command: ['test/mutants/main.ts'],
    takes: 'AREA…',
  },
  {
    name: 'busy',
    checks:
      'twenty rounds of the suites of leases, timeouts and slow clients on a busy machine; --rounds, --load',
    time: 'hours',
    command: ['test/busy/main.ts'],
    takes: 'FILE…',
  },
  {
    name: 'audit-kills',
    checks: 'three hundred kills of the daemon under load, and the log after each',
    time: '30 min',
    command: ['test/soak/audit-crash.ts'],
  },
  {
    name: 'store-kills',
    checks:
      'three hundred kills of the daemon under load, and the store after each; --database postgres kills the server too',
    time: '60 min',
    command: ['test/soak/store-crash.ts'],
  },
  {
    name: 'on-demand-kills',
    checks:
      "two hundred faults of commands and agents that start daemons on demand; --fault 'disk full' chooses one by name",
    time: '40 min',
    command: ['test/soak/on-demand-kills.ts'],
  },
  {
    name: 'install-kills',
    checks: 'a kill at each step of the commands that change installed skills, and what the next start finds',
    time: '60 min',
    command: ['test/soak/install-crash.ts'],
  },
  {
    name: 'call-faults',
    checks: 'a cancellation or an unwritable log at each step of a call, and kills at random steps',
    time: '60 min',
    command: ['test/soak/call-faults.ts'],
  },
  {
    name: 'cluster',
    checks:
      'two hundred faults of three nodes and their database under load; --fault killed chooses one by name',
    time: '90 min',
    command: ['test/soak/cluster-faults.ts'],
    needs: [postgres],
    needsQuiet: true,
  },
  {
    name: 'lock-starts',
    checks: 'three hundred starts while Node reads certificates in a thread, and the lock after each',
    time: '20 min',
    command: ['test/soak/lock-starts.ts'],
  },
  {
    name: 'soak-calls',
    checks: 'ten thousand calls, then a search for leaks',
    time: '20 min',
    command: ['test/soak/ten-thousand-calls.ts'],
  },
  {
    name: 'soak-wasm',
    checks: 'a hundred thousand WASM calls, some of them hostile',
    time: '20 min',
    command: ['test/soak/hundred-thousand-wasm-calls.ts'],
    needsQuiet: true,
  },
  {
    name: 'soak-python',
    checks:
      'ten thousand calls of Python in WebAssembly that look for marks of other calls, and the fuel of equal ones',
    time: '20 min',
    command: ['test/soak/python-calls.ts'],
  },
  {
    name: 'soak-http',
    checks: 'five minutes of more load than a daemon can handle',
    time: '5 min',
    command: ['test/soak/saturation.ts'],
  },
  {
    name: 'real-work',
    checks:
      'skills that work with documents, tables, plots, images and repositories, with the libraries and programs of Debian',
    time: '5 min',
    command: ['test/real-work/main.ts'],
    takes: 'SKILL…',
    needs: [
      programs(['npm']),
      debianPackages(
        (
          'fonts-dejavu-core git graphviz imagemagick jq pandoc poppler-utils unzip libreoffice-calc-nogui ' +
          'libreoffice-impress-nogui libreoffice-writer-nogui python3-defusedxml python3-docx python3-lxml ' +
          'python3-matplotlib python3-openpyxl python3-pandas python3-pil python3-pip python3-pypdf ' +
          'python3-scipy python3-sklearn'
        ).split(' '),
      ),
    ],
  },
  {
    name: 'count-skills',
    checks: 'installs the skills of clones, calls their scripts and counts (docs/published-skills.md)',
    time: '5 min',
    command: ['test/conformance/count-skills.ts'],
    takes: 'FOLDER…',
    requires: 'it needs clones of other repositories: npm run test:all -- count-skills FOLDER…',
  },
];
