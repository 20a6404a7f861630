import { defineConfig } from 'vitest/config';
import { bundledThreads } from './test/support/bundled-threads.ts';
import { patienceMs } from './test/support/patience.ts';

/**
 * Only a test that hangs reaches these. A test of seconds takes minutes on a machine with ten times the work, so tests
 * have no timeouts of their own, and a wait of a test ends before the test does.
 */
const timeouts = {
  testTimeout: 900_000,
  hookTimeout: 900_000,
  teardownTimeout: 60_000,
  expect: { poll: { timeout: patienceMs } },
};

/** Files that run at the same time. On two cores, three are faster than two by a fifteenth, and four are no faster. */
const workers = 3;

/** Before a file whose tests start the `ambit` command. */
const programs = ['test/support/bundle-first.ts'];

/** Never a retry, because a flaky test is a finding. */
function project(
  name: string,
  include: string[],
  { isolate, before = [] }: { isolate: boolean; before?: string[] },
) {
  return {
    plugins: [bundledThreads],
    test: {
      name,
      include,
      // Without isolation, files share a process and the modules in it, which take long to load.
      isolate,
      exclude: ['**/node_modules/**', '**/dist/**', '**/fixtures/**'],
      setupFiles: ['test/support/patient-waits.ts', 'test/support/processor-time.ts', ...before],
      ...timeouts,
    },
  };
}

export default defineConfig({
  test: {
    maxWorkers: workers,
    globalSetup: [
      'test/support/offer-bundle.ts',
      'test/support/own-data-home.ts',
      'test/support/offer-postgres.ts',
    ],
    retry: 0,
    // V8 can abort where threads come and go that strip types, when it frees their code (nodejs/node#64500).
    execArgv: ['--no-wasm-code-gc'],
    allowOnly: false,
    projects: [
      project(
        'unit',
        ['packages/*/src/**/*.test.ts', 'test/architecture/**/*.test.ts', 'test/skills/**/*.test.ts'],
        { isolate: false },
      ),
      project('contract', ['test/contract/**/*.test.ts'], { isolate: false }),
      project('conformance', ['test/conformance/**/*.test.ts'], { isolate: false, before: programs }),
      // A file that attacks the sandbox has a process of its own, so that no other file runs in what it may have changed.
      project('security', ['test/security/**/*.test.ts'], { isolate: true, before: programs }),
      project('e2e', ['test/e2e/**/*.test.ts', 'examples/*/src/**/*.test.ts'], {
        isolate: false,
        before: programs,
      }),
    ],
  },
});
