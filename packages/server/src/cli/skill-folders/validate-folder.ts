import { type SkillValidation, validateSkill } from '@ambit/core';
import { readFolder } from './read-folder.ts';

/** What is wrong with one folder. Only errors make it invalid. */
export interface ValidatedFolder extends SkillValidation {
  folder: string;
}

/** Reads a folder and checks it by core's strict rules. A folder that cannot be read has that for an error. */
export async function validateFolder(folder: string): Promise<ValidatedFolder> {
  const read = await readFolder(folder);
  if ('problem' in read) {
    return { folder, errors: [{ file: null, line: null, message: read.problem }], warnings: [] };
  }
  return { folder, ...validateSkill(read.folder) };
}
