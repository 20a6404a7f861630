import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Skill } from '@ambit/core';
import { isThere } from '@ambit/runtime';
import { ImportError, named, type ReportLine, type SettingsFragment } from '../import/skill/imported.ts';
import { readText } from '../import/source/read-text.ts';
import { sourceBounds } from '../import/source/source.ts';
import type { Exported, ExportSource } from './exported.ts';
import { writeAgentium } from './write-agentium.ts';
import { writeIsdlc } from './write-isdlc.ts';
import { writeWreckit } from './write-wreckit.ts';

/** What skills can be exported to. */
export type ExportKind = 'wreckit' | 'agentium' | 'isdlc';

/** Which skills, in whose format, and where to. */
export interface ExportRequest {
  kind: ExportKind;
  skills: readonly Skill[];
  /** What the configuration says of phases and agents. */
  settings: SettingsFragment;
  /** An absolute path: the folder that gets the files. */
  out: string;
  /** Whether files that are there are replaced. Absent: nothing is written where one is there. */
  force?: boolean;
}

/** What came of an export. */
export interface ExportReport {
  /** Paths below the folder. */
  written: readonly string[];
  /** Those that were there already; where there is one and nothing is forced, nothing is written. */
  kept: readonly string[];
  lines: readonly ReportLine[];
}

/** Exports skills in another system's format. What that cannot hold, and what cannot be read or written, is told line by line. */
export async function exportSkills({
  kind,
  skills,
  settings,
  out,
  force = false,
}: ExportRequest): Promise<ExportReport> {
  const lines: ReportLine[] = [];
  const exported = exporters[kind]({ ...settings, skills: await withTexts(skills, lines) });
  lines.push(...exported.lines);
  const kept: string[] = [];
  for (const { path } of exported.files) if (await isThere(join(out, path))) kept.push(path);
  if (kept.length > 0 && !force) return { written: [], kept, lines };
  const written: string[] = [];
  for (const { path, text } of exported.files) {
    try {
      await writeWhole(join(out, path), text);
      written.push(path);
    } catch (error) {
      lines.push({
        kind: 'left-out',
        about: named(path),
        text: `cannot be written: ${(error as Error).message}`,
      });
    }
  }
  return { written, kept: [], lines };
}

const exporters: Record<ExportKind, (source: ExportSource) => Exported> = {
  wreckit: writeWreckit,
  agentium: writeAgentium,
  isdlc: writeIsdlc,
};

async function withTexts(skills: readonly Skill[], lines: ReportLine[]): Promise<ExportSource['skills']> {
  const read: ExportSource['skills'][number][] = [];
  for (const skill of skills) {
    try {
      read.push({ skill, skillMd: await readText(join(skill.root, 'SKILL.md'), sourceBounds.fileBytes) });
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
      lines.push({ kind: 'left-out', about: skill.id, text: `has a SKILL.md that ${error.message}` });
    }
  }
  return read;
}

async function writeWhole(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const beside = await mkdtemp(join(dirname(path), '.export-'));
  try {
    await writeFile(join(beside, 'new'), text);
    await rename(join(beside, 'new'), path);
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
}
