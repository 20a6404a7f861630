import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { walkFolder } from '../folder/walk-folder.ts';
import { ImportError, named, type ReportLine } from '../skill/imported.ts';
import { fileReader, placeIn } from '../source/local-source.ts';
import { readText } from '../source/read-text.ts';
import { type ReadFile, sourceBounds } from '../source/source.ts';
import {
  hasSkillsInside,
  joinedDocuments,
  jsonValue,
  readWreckitDocument,
  type WreckitDocument,
} from './wreckit-document.ts';
import { readWreckitFiles } from './wreckit-files.ts';

/**
 * Reads all forms of wreckit's skills at a place: `skills.json`, `skills` in `config.json`, and a folder
 * of skills, one a file, with its `index.json`. The place is one of these, or a folder that contains
 * them or `.wreckit`. If forms have the same id, the first counts.
 *
 * Rejects with an `ImportError` if there is none, or if a document is invalid.
 */
export async function openWreckit(place: string, lines: ReportLine[]): Promise<WreckitDocument> {
  const found = await realpath(place).catch(() => {
    throw new ImportError(`${place} does not exist`);
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
      // Another program's config.json is no mistake of the source.
      if (text === undefined || (name === 'config.json' && !hasSkillsInside(jsonValue(text).value))) continue;
      documents.push(readWreckitDocument(text, lines));
    }
  }
  const folder = await skillsFolder(found, documents.length === 0);
  if (folder !== undefined) documents.push(await skillFiles(folder, lines));
  if (documents.length > 0) return joinedDocuments(documents, lines);
  throw new ImportError(
    `${place} contains no skills.json, no config.json with skills and no skills/index.json, also not in .wreckit`,
  );
}

/** The folder of skills in a place. A folder that only looks like one counts if there is no document. */
async function skillsFolder(place: string, isOnly: boolean): Promise<string | undefined> {
  const [name, parent] = [basename(place), basename(dirname(place))];
  const own =
    name === 'skills' && parent === '.wreckit' ? '' : name === '.wreckit' ? 'skills' : '.wreckit/skills';
  const candidates = [own, ...(isOnly ? ['skills', ''] : [])];
  for (const candidate of candidates) {
    const path = candidate === '' ? place : await placeIn(place, candidate);
    if (path === undefined || !(await stat(path)).isDirectory()) continue;
    if (candidate === own || (await placeIn(path, 'index.json')) !== undefined) return path;
  }
  return undefined;
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
    if (!(error instanceof ImportError)) throw error;
    lines.push({ kind: 'left-out', about: named(path), text: error.message });
    return undefined;
  }
}

async function manifestText(path: string): Promise<string> {
  return readText(path, sourceBounds.manifestBytes).catch((error: unknown) => {
    throw error instanceof ImportError
      ? new ImportError(`${path} ${error.message}`, { cause: error })
      : error;
  });
}
