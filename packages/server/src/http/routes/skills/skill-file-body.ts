import { Readable } from 'node:stream';
import type { Skill } from '@ambit/core';
import type { SkillFile } from '@ambit/core/internal';
import { openListedFile } from '@ambit/runtime';
import type { EntityBody } from '../../entity/answer-entity.ts';
import { fileNotFound } from './listed-file.ts';

/**
 * A file of a skill as an answer. Text is shown as text, whatever its name, so that no browser runs it; what is no text is
 * for saving. The file is found to be what was listed before the answer begins, and every piece once more: one that
 * changes on the way breaks the answer off. Throws `FILE_NOT_FOUND` for a link, `SKILL_CHANGED` for a file that is not what was listed.
 */
export async function fileBody(
  skill: Pick<Skill, 'id' | 'root'>,
  file: SkillFile,
  { isHead, shutdown }: { isHead: boolean; shutdown: AbortSignal },
): Promise<EntityBody> {
  const opened = await openListedFile(skill, file);
  if (opened === undefined) {
    throw fileNotFound(skill.id, file.path, 'it is a link, and links are not followed');
  }
  const headers = { ...shownAs(file, opened.isText), 'content-length': file.bytes };
  if (isHead) {
    await opened.close();
    return { headers, content: '' };
  }
  const content = Readable.from(opened.pieces(), { signal: shutdown, objectMode: false });
  content.once('close', () => void opened.close());
  return { headers, content };
}

function shownAs({ path }: SkillFile, isText: boolean): EntityBody['headers'] {
  if (!isText) {
    return {
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename*=UTF-8''${extended(path.slice(path.lastIndexOf('/') + 1))}`,
    };
  }
  return { 'content-type': `text/${path.endsWith('.md') ? 'markdown' : 'plain'}; charset=utf-8` };
}

/** A name as a header's parameter has it (RFC 8187, section 3.2.1). */
function extended(name: string): string {
  return encodeURIComponent(name).replace(/['()*!]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}
