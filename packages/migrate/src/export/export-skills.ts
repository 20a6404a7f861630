import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Skill } from '@ambit/core';
import { UsageError } from '@ambit/core/outcome';
import { skillFileOf } from '@ambit/core/skill';
import { isThere } from '@ambit/runtime';
import { quote, type ReportLine, type SettingsFragment } from '../import/skill/imported.ts';
import { readText } from '../import/source/read-text.ts';
import { sourceBounds } from '../import/source/source.ts';
import type { ExportContent, ExportSource } from './exported.ts';
import { writeAgentium } from './write-agentium.ts';
import { writeIsdlc } from './write-isdlc.ts';
import { writeWreckit } from './write-wreckit.ts';

/** The systems that skills can be exported to. */
export type ExportKind = 'wreckit' | 'agentium' | 'isdlc';

/** The skills to export, in which format, and where to. */
export interface ExportRequest {
  kind: ExportKind;
  skills: readonly Skill[];
  /** The configuration's settings of phases and agents. */
  settings: Pick<SettingsFragment, 'phases' | 'agents'>;
  /** The folder to write to, an absolute path. */
  out: string;
  /** Whether to replace existing files. Absent: if one of the files exists, nothing is written. */
  force?: boolean;
}

/** The result of an export. */
export interface ExportReport {
  /** Paths relative to the folder. */
  written: readonly string[];
  /** Files that already existed. If there are any, nothing is written without `force`. */
  existing: readonly string[];
  lines: readonly ReportLine[];
}

/**
 * Exports skills in another system's format. Reports, in one line each, what the format cannot store
 * and what cannot be read or written.
 */
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
  const existing: string[] = [];
  for (const { path } of exported.files) if (await isThere(join(out, path))) existing.push(path);
  if (existing.length > 0 && !force) return { written: [], existing, lines };
  const written: string[] = [];
  for (const { path, text } of exported.files) {
    try {
      await writeWhole(join(out, path), text);
      written.push(path);
    } catch (error) {
      lines.push({
        kind: 'left-out',
        about: quote(path),
        text: `cannot be written: ${(error as Error).message}`,
      });
    }
  }
  return { written, existing: [], lines };
}

const exporters: Record<ExportKind, (source: ExportSource) => ExportContent> = {
  wreckit: writeWreckit,
  agentium: writeAgentium,
  isdlc: writeIsdlc,
};

async function withTexts(skills: readonly Skill[], lines: ReportLine[]): Promise<ExportSource['skills']> {
  const read: ExportSource['skills'][number][] = [];
  for (const skill of skills) {
    try {
      read.push({
        skill,
        skillMd: await readText(join(skill.root, skillFileOf(skill)), sourceBounds.fileBytes),
      });
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      lines.push({ kind: 'left-out', about: skill.id, text: `has a SKILL.md that ${error.message}` });
    }
  }
  return read;
}

async function writeWhole(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporaryFolder = await mkdtemp(join(dirname(path), '.export-'));
  try {
    await writeFile(join(temporaryFolder, 'new'), text);
    await rename(join(temporaryFolder, 'new'), path);
  } finally {
    await rm(temporaryFolder, { recursive: true, force: true });
  }
}
