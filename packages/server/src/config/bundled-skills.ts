import { join } from 'node:path';
import { programFolder } from './program-folder.ts';

/** The folder of the skills that come with Ambit. */
export const bundledSkills = join(programFolder, 'skills');
