import { fileURLToPath } from 'node:url';

/** The folder of the skills that come with Ambit. */
export const bundledSkills = fileURLToPath(new URL('../../../../skills', import.meta.url));
