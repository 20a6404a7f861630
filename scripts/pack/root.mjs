import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's folder. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The folder from which a release takes its files. */
export const packagesFolder = join(root, 'dist/packages');
