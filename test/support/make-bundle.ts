import { ensureBundle } from '../../scripts/bundle.mjs';

/**
 * Builds what `npm start` runs, so the tests run the same and start as fast. Fails if a program
 * cannot be bundled.
 */
export async function setup(): Promise<void> {
  await ensureBundle();
}
