import type { TestProject } from 'vitest/node';
import { ensureBundle } from '../../scripts/bundle.mjs';
import { bundleVariable } from './bundled-threads.ts';

/**
 * Builds what `npm start` runs and serves, so the tests run the same and start as fast. Fails if a program
 * cannot be bundled.
 */
export async function setup(project: TestProject): Promise<void> {
  const offer = async (): Promise<void> => {
    process.env[bundleVariable] = await ensureBundle();
  };
  await offer();
  project.onTestsRerun(offer);
}
