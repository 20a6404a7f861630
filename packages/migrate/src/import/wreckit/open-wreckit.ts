import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { UsageError } from '@ambit/core/outcome';
import { walkFolder } from '../folder/walk-folder.ts';
import { quote, type ReportLine } from '../skill/imported.ts';
import { readJson } from '../skill/json-value.ts';
import { fileReader, manifestText, placeIn } from '../source/local-source.ts';
import type { ReadFile } from '../source/source.ts';
import {
  hasSkillsInside,
  joinedDocuments,
  readWreckitDocument,
  type WreckitDocument,
} from './wreckit-document.ts';
import { readWreckitFiles } from './wreckit-files.ts';

/**
 * Reads all forms of wreckit's skills at a place: `skills.json`, `skills` in `config.json`, and a folder
 * of skills, one a file, with its `index.json`. The place is one of these, or a folder that contains
 * them or `.wreckit`. If forms have the same id, the first counts.
 *
 * Rejects with a `UsageError` if there is none, or if a document is invalid.
 */
export async function openWreckit(place: string, lines: ReportLine[]): Promise<WreckitDocument> {
  const found = await realpath(place).catch(() => {
    throw new UsageError(`${place} does not exist`);
  });
  if (!(await stat(found)).isDirectory()) {
    if (basename(found) === 'index.json') return skillFiles(dirname(found), lines);
    return readWreckitDocument(await manifestText(found), lines);
  }
  const documents: WreckitDocument[] = [];
  for (const base of ['', '.wreckit']) {
    for (const name of ['skills.json', 'config.json']) {
      const path = await placeIn(found, join(base, name));
      const text = path === undefined ? undefined : await manifestText(path);
      if (text === undefined || (name === 'config.json' && isForeign(text))) continue;
      documents.push(readWreckitDocument(text, lines));
    }
  }
  const folder = await skillsFolder(found, documents.length === 0);
  if (folder !== undefined) documents.push(await skillFiles(folder, lines));
  if (documents.length > 0) return joinedDocuments(documents, lines);
  throw new UsageError(
    `${place} and its .wreckit contain no skills.json, no config.json with skills and no skills/index.json`,
  );
}

/** Whether a `config.json` has no skills. It can be another program's, which is no mistake of the source. */
function isForeign(text: string): boolean {
  const read = readJson(text);
  return 'problem' in read || !hasSkillsInside(read.value);
}

/** The folder of skills in a place. A folder that only looks like one counts if there is no document. */
async function skillsFolder(place: string, isOnly: boolean): Promise<string | undefined> {
  const own = ownFolder(place);
  const candidates = isOnly ? [own, 'skills', ''] : [own];
  for (const candidate of candidates) {
    const path = candidate === '' ? place : await placeIn(place, candidate);
    if (path === undefined || !(await stat(path)).isDirectory()) continue;
    if (candidate === own || (await placeIn(path, 'index.json')) !== undefined) return path;
  }
  return undefined;
}

/** Returns the folder where wreckit itself stores the skills of a place. */
function ownFolder(place: string): string {
  if (place.endsWith('/.wreckit/skills')) return '';
  return place.endsWith('/.wreckit') ? 'skills' : '.wreckit/skills';
}

async function skillFiles(root: string, lines: ReportLine[]): Promise<WreckitDocument> {
  const paths = await walkFolder(root, (path) => /^(?:[^/]+\/)?[^/]+\.json$/.test(path));
  const read = fileReader(root);
  const files = paths.filter((path) => path !== 'index.json');
  const texts = new Map<string, string>();
  for (const path of files) {
    const text = await tolerant(read, path, lines);
    if (text !== undefined) texts.set(path, text);
  }
  const index = paths.includes('index.json') ? await tolerant(read, 'index.json', lines) : undefined;
  const readBody = async (path: string): Promise<string | undefined> =>
    (await placeIn(root, path)) === undefined ? undefined : tolerant(read, path, lines);
  return readWreckitFiles({ texts, index, readBody }, lines);
}

async function tolerant(read: ReadFile, path: string, lines: ReportLine[]): Promise<string | undefined> {
  try {
    return await read(path);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    lines.push({ kind: 'left-out', about: quote(path), text: error.message });
    return undefined;
  }
}
