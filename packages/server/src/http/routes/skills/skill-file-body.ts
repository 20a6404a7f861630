import { Readable } from 'node:stream';
import type { Skill } from '@ambit/core';
import type { SkillFile } from '@ambit/core/skill';
import { openListedFile } from '@ambit/runtime';
import type { EntityBody } from '../../route/answer-entity.ts';
import { fileNotFound } from './found-skill.ts';

/**
 * The response for a file of a skill. Text is served as text regardless of its name, so that no
 * browser runs it; other files are served for download. The file is compared with the list before
 * the response begins, and each piece again when it is sent: a file that changes meanwhile aborts
 * the response. Throws `FILE_NOT_FOUND` for a link, `SKILL_CHANGED` for a file that differs from
 * the list.
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

/** A file name in a header parameter (RFC 8187, section 3.2.1). */
function extended(name: string): string {
  return encodeURIComponent(name).replace(/['()*!]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}
