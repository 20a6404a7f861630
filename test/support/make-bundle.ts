import { ensureBundle } from '../../scripts/bundle.mjs';

/** What `npm start` runs, so that the tests run it too and start it as fast. A program that cannot be bundled fails here. */
export async function setup(): Promise<void> {
  await ensureBundle();
}
