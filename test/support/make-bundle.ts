import { currentBundle } from '../../packages/server/src/bundle/current-bundle.mjs';
import { makeBundle } from '../../scripts/bundle.mjs';

/** What `npm start` runs, so that the tests run it too and start it as fast. A program that cannot be bundled fails here. */
export async function setup(): Promise<void> {
  if (currentBundle() === undefined) await makeBundle();
}
