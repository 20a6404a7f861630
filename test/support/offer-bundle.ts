import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TestProject } from 'vitest/node';
import { bundlesFolder, currentBundle } from '../../scripts/bundled.mjs';
import { builderVariable, bundleVariable } from './bundle.ts';

/**
 * Offers what `npm start` runs and serves, so the tests run the same and start as fast. The first test that needs it builds
 * it, and fails if a program cannot be bundled.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let build: () => Promise<string>;
  const offer = (): void => {
    const current = currentBundle();
    const name = `of-run-${process.pid}-${Date.now()}`;
    process.env[bundleVariable] = current ?? pathToFileURL(join(bundlesFolder, name, 'main.mjs')).href;
    let building: Promise<string> | undefined;
    build = () => {
      building ??= current === undefined ? made(name) : Promise.resolve('');
      return building;
    };
  };
  offer();
  project.onTestsRerun(async () => offer());
  const listener = createServer({ allowHalfOpen: true }, (asking) => {
    asking.on('error', () => undefined);
    void build().then((error) => asking.end(error));
  });
  const folder = await mkdtemp(join(tmpdir(), 'ambit-bundle-'));
  const socket = join(folder, 'builder');
  await once(listener.listen(socket), 'listening');
  process.env[builderVariable] = socket;
  return async () => {
    listener.close();
    await rm(folder, { recursive: true });
  };
}

/** Resolves to an error, or to an empty text. */
async function made(name: string): Promise<string> {
  try {
    // It takes long to load.
    const { makeBundle } = await import('../../scripts/bundle.mjs');
    await makeBundle(bundlesFolder, name);
    return '';
  } catch (error) {
    return `the bundle was not built: ${(error as Error).stack}`;
  }
}
