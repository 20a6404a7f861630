import type { GivenFiles } from '@ambit/api';
import { SkillError } from '@ambit/core';
import type { CallerInput } from '@ambit/core/execute';
import type { WorkspaceEntry } from '@ambit/core/workspace';

/** The parts of a request that carry bytes, as JSON has them. */
interface GivenInput {
  stdin?: string | undefined;
  stdinBase64?: string | undefined;
  files?: GivenFiles;
}

/** The stdin and the files of a call, decoded; `undefined` if absent. */
interface DecodedInput {
  stdin: CallerInput['stdin'];
  files: CallerInput['files'];
}

/** Decodes the stdin and the files of a call. Throws `INPUT_INVALID` for both `stdin` and `stdinBase64`. */
export function givenInput({ stdin, stdinBase64, files }: GivenInput): DecodedInput {
  if (stdin !== undefined && stdinBase64 !== undefined)
    throw new SkillError('INPUT_INVALID', 'send either "stdin" or "stdinBase64", not both');
  const bytes = stdinBase64 === undefined ? undefined : Buffer.from(stdinBase64, 'base64');
  return { stdin: stdin ?? bytes, files: files?.map(workspaceEntry) };
}

function workspaceEntry(given: NonNullable<GivenFiles>[number]): WorkspaceEntry {
  if ('link' in given || 'folder' in given) return given;
  const content = 'text' in given ? Buffer.from(given.text) : Buffer.from(given.base64, 'base64');
  const { path, executable } = given;
  return executable ? { path, content, executable } : { path, content };
}
