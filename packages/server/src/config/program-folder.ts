import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Ambit's own folder: sources, dependencies, build output and bundled skills. */
export const programFolder = fileURLToPath(new URL('../../../..', import.meta.url));

/** The folder of the bundled skills. */
export const bundledSkills = join(programFolder, 'skills');

/** Where `npm run build:console` writes the page of the web console. */
export const consolePage = join(programFolder, 'packages/console/dist/page');
