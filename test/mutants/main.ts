/**
 * Breaks one guarantee of the product after the other in a copy of the repository, and checks that tests notice it.
 * Arguments choose mutants of list.ts, by id or area: `npm run test:all -- mutants egress`.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mutants } from './list.ts';
import { areas, type Mutant, mutated, StaleMutant } from './mutant.ts';
import { privateCopy } from './private-copy.ts';
import { runTests } from './run-tests.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const names = process.argv.slice(2);
const known: readonly string[] = [...areas, ...mutants.map(({ id }) => id)];
const unknown = names.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`no mutant or area ${unknown.join(', ')}. Areas: ${areas.join(', ')}`);
  process.exit(2);
}
const chosen = mutants.filter(
  ({ id, area }) => names.length === 0 || names.includes(id) || names.includes(area),
);

const stop = new AbortController();
for (const [signal, number] of Object.entries({ SIGINT: 2, SIGTERM: 15, SIGHUP: 1 }))
  process.once(signal, () => {
    process.exitCode = 128 + number;
    stop.abort(new Error(`stopped by ${signal}`));
  });
const copy = await privateCopy(root);
try {
  process.exitCode = await runAll(copy.folder);
} catch (error) {
  if (error !== stop.signal.reason) throw error;
} finally {
  await copy.remove();
}

/** Resolves to the exit code. */
async function runAll(folder: string): Promise<number> {
  const files = [...new Set(chosen.flatMap(({ killedBy }) => killedBy))];
  const started = performance.now();
  const unchanged = await runTests(folder, files, stop.signal);
  if (unchanged.status !== 'passed') {
    const why = unchanged.status === 'failed' ? unchanged.test : unchanged.why;
    console.error(`FAILED  without a mutant, these tests should pass: ${why}`);
    return 1;
  }
  console.log(`passed  ${seconds(started)}  without a mutant, ${files.length} files of tests`);
  let passed = 0;
  for (const mutant of chosen) {
    const begun = performance.now();
    const { isKilled, text } = await tried(folder, mutant);
    if (isKilled) passed += 1;
    console.log(`${isKilled ? 'passed' : 'FAILED'}  ${seconds(begun)}  ${mutant.id}: ${text}`);
  }
  console.log(`${passed} passed, ${chosen.length - passed} failed`);
  return passed === chosen.length ? 0 : 1;
}

async function tried(folder: string, mutant: Mutant): Promise<{ isKilled: boolean; text: string }> {
  const file = join(folder, mutant.file);
  const source = await readFile(file, 'utf8');
  try {
    // The bundle is made of files of this size and time, so a changed one is bundled again.
    await writeFile(file, mutated(source, mutant));
    const run = await runTests(folder, mutant.killedBy, stop.signal);
    switch (run.status) {
      case 'failed':
        return { isKilled: true, text: `killed by ${run.test}` };
      case 'passed':
        return { isKilled: false, text: `SURVIVED ${mutant.killedBy.join(', ')}. Lost: ${mutant.breaks}` };
      case 'broken':
        return { isKilled: false, text: `ERROR, no test ran: ${run.why}` };
      default:
        return run satisfies never;
    }
  } catch (error) {
    if (!(error instanceof StaleMutant)) throw error;
    return { isKilled: false, text: `STALE, ${error.message}` };
  } finally {
    await writeFile(file, source);
  }
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`.padStart(7);
}
