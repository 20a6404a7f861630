import { modelLine, modelText, type Skill, SkillError } from '@ambit/core';
import { pathsInSkill } from '@ambit/core/skill';
import { readListedFile } from '@ambit/runtime';
import { utf8 } from '../../wire/utf8.ts';
import { partText, textAt } from '../workspaces/file-part.ts';

/** Per result: more than a model should read in one result. */
const skillFileBytesMax = 256 * 1024;

const namesMax = 50;

/**
 * A text file of a skill from `offset`, prepared for a model, and where to continue if it is longer
 * than a result. Throws `INPUT_INVALID` for a missing file, a link, and a file that is not text.
 */
export async function skillFileText(skill: Skill, path: string, offset: number): Promise<string[]> {
  const paths = [path, ...pathsInSkill(skill, path)];
  const file = paths.flatMap((named) => skill.files.find((each) => each.path === named) ?? [])[0];
  if (file === undefined)
    throw new SkillError(
      'INPUT_INVALID',
      `${skill.id} has no file ${JSON.stringify(path.slice(0, 200))}; it has ${namesOf(skill)}`,
    );
  const content = await readListedFile(skill, file);
  if (content === undefined)
    throw new SkillError('INPUT_INVALID', `${path} is a link, and links are not followed`);
  const part = await textAt(path, content, { offset, length: skillFileBytesMax });
  const text = utf8(part.bytes);
  if (text === undefined)
    throw new SkillError(
      'INPUT_INVALID',
      `${path} is not text, so it cannot be read: it has ${file.bytes} bytes of other data`,
    );
  return part.bytes.length === part.totalBytes ? [modelText(text)] : [modelText(text), partText(path, part)];
}

function namesOf({ files }: Skill): string {
  const some = files.slice(0, namesMax).map(({ path }) => modelLine(path));
  const left = files.length - some.length;
  return `${some.join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}
