import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { UsageError } from '@ambit/core/outcome';
import { skillFileNames } from '@ambit/core/skill';
import { otherFiles } from '../folder/other-files.ts';
import { walkFolder } from '../folder/walk-folder.ts';
import { quote, type ReportLine } from '../skill/imported.ts';
import { isOwnPath } from '../source/inner-path.ts';
import { fileReader, localSource } from '../source/local-source.ts';
import { readText } from '../source/read-text.ts';
import { sourceBounds } from '../source/source.ts';
import type { IsdlcFile, IsdlcSource } from './read-isdlc.ts';

/** The places of iSDLC's manifest, relative to the imported folder. */
const manifests = ['', '.claude/hooks/config/'].flatMap((folder) =>
  ['json', 'yaml', 'yml'].map((format) => `${folder}skills-manifest.${format}`),
);
const externalManifests = ['external-skills-manifest.json', 'docs/isdlc/external-skills-manifest.json'];

/**
 * Reads iSDLC's files below a folder, or below the folder of the manifest at `place`: manifests, and
 * every `SKILL.md` there and in `.claude/skills`. An unreadable file is reported in a line. Rejects with
 * a `UsageError` if there is no manifest.
 */
export async function openIsdlc(place: string, lines: ReportLine[]): Promise<IsdlcSource> {
  const { path, manifest } = await localSource(place, manifests);
  const found = await realpath(place);
  const root = (await stat(found)).isDirectory() ? found : dirname(found);
  const used = relative(root, path);
  for (const name of manifests)
    if (name !== used && (await isOwnPath(root, name)))
      lines.push({ kind: 'left-out', about: name, text: `is not read, because ${quote(used)} is` });
  return {
    manifest,
    isYaml: /\.ya?ml$/i.test(path),
    external: await externalManifest(root, lines),
    skillFiles: await skillFiles(root, lines),
    readFile: fileReader(root),
  };
}

async function externalManifest(root: string, lines: ReportLine[]): Promise<string | undefined> {
  for (const name of externalManifests) {
    if (!(await isOwnPath(root, name))) continue;
    const text = await tolerant(readText(join(root, name), sourceBounds.manifestBytes), name, lines);
    if (text !== undefined) return text;
  }
  return undefined;
}

async function skillFiles(root: string, lines: ReportLine[]): Promise<IsdlcFile[]> {
  const isSkill = (path: string): boolean => path.includes('/') && skillFileNames.includes(basename(path));
  const below = await walkFolder(root, isSkill);
  const hidden = (await isOwnPath(root, '.claude/skills'))
    ? await walkFolder(join(root, '.claude/skills'), isSkill)
    : [];
  const files: IsdlcFile[] = [];
  const read = new Set<string>();
  for (const path of [...below, ...hidden.map((each) => `.claude/skills/${each}`)]) {
    const folder = dirname(path);
    // A skill.md beside a SKILL.md is an ordinary file.
    if (read.has(folder)) continue;
    read.add(folder);
    const text = await tolerant(readText(join(root, path), sourceBounds.fileBytes), path, lines);
    const others =
      text === undefined ? undefined : await otherFiles(join(root, folder), quote(folder), lines);
    if (text !== undefined && others !== undefined) files.push({ folder, text, files: others });
  }
  return files;
}

async function tolerant(
  reading: Promise<string>,
  path: string,
  lines: ReportLine[],
): Promise<string | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    lines.push({ kind: 'left-out', about: quote(path), text: error.message });
    return undefined;
  }
}
