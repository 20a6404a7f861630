import { setImmediate } from 'node:timers/promises';
import { SkillError } from '@ambit/core';
import { utf8 } from '../../wire/utf8.ts';

/** One replacement of a text that occurs once. */
export interface TextEdit {
  oldText: string;
  newText: string;
}

/** Longer files are replaced as a whole: an edit searches them where other requests wait. */
export const editedBytesMax = 4 * 1024 * 1024;
export const editsMax = 20;

/**
 * The file after all edits, each made on what the one before left. The result is UTF-8 again. Rejects with `INPUT_INVALID` when an
 * edit does not fit.
 */
export async function editText(
  path: string,
  content: Uint8Array,
  edits: readonly TextEdit[],
): Promise<Uint8Array> {
  const name = JSON.stringify(path);
  if (content.length > editedBytesMax)
    throw invalid(
      `${name} has ${content.length} bytes, and up to ${editedBytesMax} are edited; use a skill, or replace it as a whole`,
    );
  if (utf8(content) === undefined) throw invalid(`${name} is not text in UTF-8; replace it as a whole`);
  let edited = content;
  for (const [index, { oldText, newText }] of edits.entries()) {
    // Each takes milliseconds, in which no other request is served.
    if (index > 0) await setImmediate();
    const old = Buffer.from(oldText);
    const [at, again] = occurrences(edited, old);
    if (at === undefined)
      throw invalid(
        `nothing was changed, because the oldText of edits[${index}] is not in ${name}; read the file again and copy the text exactly`,
      );
    if (again !== undefined)
      throw invalid(
        `nothing was changed, because the oldText of edits[${index}] is in ${name} more than once; make it longer until it is unique`,
      );
    const after = edited.subarray(at + old.length);
    edited = Buffer.concat([edited.subarray(0, at), Buffer.from(newText), after]);
  }
  return edited;
}

/**
 * Where a text begins, up to the second time. Knuth, Morris and Pratt: linear whatever the two are, which `indexOf` of a
 * text made for it is not.
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

/** For each beginning of the text, the longest shorter beginning that it ends with. */
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
