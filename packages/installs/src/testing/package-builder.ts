import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { bubblewrapSandbox, egress } from '@ambit/runtime';
import { afterAll } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import {
  type BuiltEnvironment,
  buildEnvironment,
  type WantedPackages,
} from '../dependencies/build-environment.ts';
import type { DependencySettings } from '../dependencies/dependency-options.ts';
import { InstallError } from '../install-error.ts';
import { written } from './written.ts';

/**
 * A function that builds packages in one sandbox for the tests of a file, with the given settings and no others. It resolves
 * to the environment and its files, or to the refusal.
 */
export function packageBuilder() {
  const sandbox = bubblewrapSandbox();
  const network = egress(async () => Promise.reject(new Error('no secrets')));
  afterAll(async () => {
    await sandbox.close?.();
    await network.close();
  });
  return async (
    wanted: WantedPackages,
    settings: Partial<DependencySettings>,
  ): Promise<(BuiltEnvironment & { files: Record<string, string> }) | { code: string; message: string }> => {
    const folder = await temporaryFolder();
    const into = join(folder, 'into');
    await mkdir(into);
    try {
      const environment = await buildEnvironment(wanted, into, {
        settings: { python: null, node: null, allowBuild: [], provided: [], ...settings },
        sandbox,
        egress: network,
        deny: [],
        folder: join(folder, 'work'),
        signal: new AbortController().signal,
      });
      return { ...environment, files: await written(into) };
    } catch (error) {
      if (!(error instanceof InstallError)) throw error;
      return { code: error.code, message: error.message };
    }
  };
}
