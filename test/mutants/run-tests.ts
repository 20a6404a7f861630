import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** The end of a run of test files. */
export type TestRun =
  | { status: 'passed' }
  /** `test` is the full name of the first test that failed, after its file. */
  | { status: 'failed'; test: string }
  /** Files did not load, or nothing ran. `why` is the end of the output. */
  | { status: 'broken'; why: string };

/** Runs test files of a copy of the repository until the first failure. Rejects with the reason of `stopped`. */
export async function runTests(
  folder: string,
  files: readonly string[],
  stopped: AbortSignal,
): Promise<TestRun> {
  stopped.throwIfAborted();
  const results = join(folder, 'node_modules/mutant-results.json');
  await rm(results, { force: true });
  const projects = [...new Set(files.map(projectOf))].flatMap((project) => ['--project', project]);
  const reporting = ['--reporter=json', `--outputFile=${results}`];
  const program = [join(folder, 'node_modules/vitest/vitest.mjs'), 'run', '--bail', '1'];
  const child = spawn(process.execPath, [...program, ...projects, ...reporting, ...files], {
    cwd: folder,
    // A group of its own, so that its end ends the daemons of its tests too.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = (): void => void (child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'));
  stopped.addEventListener('abort', end);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-20_000);
    });
  const [code] = await once(child, 'close');
  stopped.removeEventListener('abort', end);
  stopped.throwIfAborted();
  const ended = await readFile(results, 'utf8').then(JSON.parse, () => undefined);
  return runOf(folder, code, ended, said);
}

/** Vitest's JSON results, as far as they are used. */
interface Results {
  success: boolean;
  testResults: { name: string; assertionResults: { status: string; fullName: string }[] }[];
}

function runOf(folder: string, code: unknown, ended: Results | undefined, said: string): TestRun {
  const failed = (ended?.testResults ?? []).flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName }) => `${name.replace(`${folder}/`, '')} › ${fullName.trim()}`),
  );
  const [test] = failed;
  if (test !== undefined) return { status: 'failed', test };
  if (code === 0 && ended?.success === true) return { status: 'passed' };
  return { status: 'broken', why: said.trim().slice(-3000) };
}

/** The project of vitest.config.ts with a file. */
function projectOf(file: string): string {
  return (
    /^test\/(contract|conformance|security|e2e)\//.exec(file)?.[1] ??
    (file.startsWith('examples/') ? 'e2e' : 'unit')
  );
}
