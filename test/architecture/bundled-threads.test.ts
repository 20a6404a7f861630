import { once } from 'node:events';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test, vi } from 'vitest';
import { builderVariable, bundledProgram, bundleVariable } from '../support/bundle.ts';
import { bundledThreads } from '../support/bundled-threads.ts';
import { repository } from '../support/daemon-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('every module that starts a thread starts it from the bundle', () => {
  const locating = globSync('packages/*/src/**/*.ts', { cwd: repository })
    .map((path) => ({ path, code: readFileSync(join(repository, path), 'utf8') }))
    .filter(({ code }) => code.includes('-program${import.meta.url'));
  expect(locating.length).toBeGreaterThan(5);
  const left = locating.filter(({ code }) => !bundledThreads.transform(code)?.includes('= bundledProgram('));
  expect(left.map(({ path }) => path)).toEqual([]);
});

test('the bundle is built when a thread starts from it, and not when its module is loaded', async () => {
  const folder = await temporaryFolder();
  vi.stubEnv(bundleVariable, pathToFileURL(join(folder, 'main.mjs')).href);
  vi.stubEnv(builderVariable, join(folder, 'builder'));
  onTestFinished(() => void vi.unstubAllEnvs());
  // In another thread, because this one waits for it.
  const builder = new Worker(
    `const { createServer } = require('node:net');
     const { writeFileSync } = require('node:fs');
     const { workerData: folder, parentPort } = require('node:worker_threads');
     let asked = 0;
     createServer((asking) => {
       if (++asked > 1) return asking.end('it cannot be built');
       writeFileSync(folder + '/a-program.mjs', '');
       asking.end();
     }).listen(folder + '/builder', () => parentPort.postMessage('listening'));`,
    { eval: true, workerData: folder },
  );
  onTestFinished(async () => void (await builder.terminate()));
  await once(builder, 'message');

  const [first, second] = [bundledProgram('a-program'), bundledProgram('b-program')];
  expect(existsSync(join(folder, 'a-program.mjs'))).toBe(false);
  const thread = new Worker(first);
  expect(existsSync(join(folder, 'a-program.mjs'))).toBe(true);
  expect(await once(thread, 'exit')).toEqual([0]);
  expect(() => new Worker(second)).toThrow('it cannot be built');
});
