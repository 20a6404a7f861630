import { fileURLToPath } from 'node:url';

/** The folder that Ambit runs from: its sources, what they import, what is made of them, the bundled skills. */
export const programFolder = fileURLToPath(new URL('../../../..', import.meta.url));
