import { setImmediate } from 'node:timers/promises';
import { SkillError } from '@ambit/core';
import { allBytesOf, type FileContent } from '@ambit/core/workspace';
import { utf8 } from '../../wire/utf8.ts';

/** A replacement of a text that occurs exactly once. */
export interface TextEdit {
  oldText: string;
  newText: string;
}

/** Larger files cannot be edited: the search runs on the main thread, while other requests wait. */
export const editedBytesMax = 4 * 1024 * 1024;
export const editsMax = 20;

/**
 * The file after all edits, each applied to the result of the previous one, as UTF-8. Rejects with
 * `INPUT_INVALID` if an edit does not apply.
 */
export async function editText(
  path: string,
  file: Uint8Array | FileContent,
  edits: readonly TextEdit[],
): Promise<Uint8Array> {
  const name = JSON.stringify(path);
  if (file.length > editedBytesMax)
    throw invalid(
      `${name} has ${file.length} bytes, which is larger than the limit of ${editedBytesMax} bytes for edits; change it with a skill, or replace the whole file`,
    );
  const content = await allBytesOf(file);
  if (utf8(content) === undefined)
    throw invalid(`${name} is not UTF-8 text, so it cannot be edited; replace the whole file`);
  let edited = content;
  for (const [index, { oldText, newText }] of edits.entries()) {
    // Each takes milliseconds, during which no other request is served.
    if (index > 0) await setImmediate();
    const old = Buffer.from(oldText);
    const [at, again] = occurrences(edited, old);
    if (at === undefined)
      throw invalid(
        `nothing was changed: the oldText of edits[${index}] is not in ${name}; read the file again and copy the text exactly`,
      );
    if (again !== undefined)
      throw invalid(
        `nothing was changed: the oldText of edits[${index}] occurs more than once in ${name}; make it longer until it is unique`,
      );
    const after = edited.subarray(at + old.length);
    edited = Buffer.concat([edited.subarray(0, at), Buffer.from(newText), after]);
  }
  return edited;
}

/**
 * The first two positions of a text. Knuth, Morris and Pratt: linear in any case, unlike `indexOf`
 * with crafted input.
 */
function occurrences(content: Uint8Array, text: Uint8Array): number[] {
  const found: number[] = [];
  const borders = bordersOf(text);
  let matched = 0;
  for (let index = 0; index < content.length && found.length < 2; index += 1) {
    while (matched > 0 && content[index] !== text[matched]) matched = borders[matched - 1] as number;
    if (content[index] === text[matched]) matched += 1;
    if (matched < text.length) continue;
    found.push(index + 1 - matched);
    matched = borders[matched - 1] as number;
  }
  return found;
}

/** For each prefix of the text, the longest proper prefix that is also its suffix. */
function bordersOf(text: Uint8Array): Uint32Array {
  const borders = new Uint32Array(text.length);
  for (let index = 1, matched = 0; index < text.length; index += 1) {
    while (matched > 0 && text[index] !== text[matched]) matched = borders[matched - 1] as number;
    if (text[index] === text[matched]) matched += 1;
    borders[index] = matched;
  }
  return borders;
}

function invalid(problem: string): SkillError {
  return new SkillError('INPUT_INVALID', problem);
}
