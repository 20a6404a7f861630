import { join } from 'node:path';
import { programFolder } from './program-folder.ts';

/** The folder of the bundled skills. */
export const bundledSkills = join(programFolder, 'skills');
