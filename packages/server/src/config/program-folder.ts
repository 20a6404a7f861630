import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Ambit's own folder: sources, dependencies, build output and bundled skills. */
const programFolder = fileURLToPath(new URL('../../../..', import.meta.url));

/**
 * The folder through which others could change Ambit: its own, or the outermost `node_modules` that it
 * is installed in, because that has its dependencies too.
 */
export const programTree = /^.*?\/node_modules(?=\/)/.exec(programFolder)?.[0] ?? programFolder;

/** The folder of the bundled skills. */
export const bundledSkills = join(programFolder, 'skills');

/** The path at which `npm run build:console` writes the page of the web console. */
export const consolePage = join(programFolder, 'packages/console/dist/page');
