import type { CountTokens } from '../../model-text/count-tokens.ts';
import { type ReadManifest, readManifest } from '../../skill/manifest.ts';
import { emptySidecar, readSidecar, type Sidecar } from '../../skill/sidecar.ts';
import { metadataTokens } from '../../skill/skill-index.ts';
import type { LintedFolder } from '../skill-folder.ts';
import { lintDescription } from './description.ts';
import { lintFiles } from './files.ts';
import { lintLeftovers } from './leftovers.ts';
import { lintLength } from './length.ts';
import { lintLinks } from './links.ts';
import { markdownLines } from './markdown-lines.ts';
import { finding, type LintFinding } from './rules.ts';
import { lintStructure } from './structure.ts';
import { lintTool } from './tool.ts';

/** Suggestions for a skill, and what it costs a model. */
export interface SkillLint {
  /** By file, line and rule. */
  findings: LintFinding[];
  /**
   * The tokens of its metadata, which every prompt that lists it pays, and of its body, paid when it is
   * activated. 0 if unreadable.
   */
  tokens: { metadata: number; body: number };
}

/**
 * Suggests improvements. The skill works without them; `validateSkill` reports what the
 * specification forbids. Never throws.
 */
export function lintSkill(folder: LintedFolder, countTokens: CountTokens): SkillLint {
  let read: ReadManifest;
  let sidecar: Sidecar;
  try {
    read = readManifest(folder.skillMd, folder.name);
    sidecar = folder.sidecar === undefined ? emptySidecar : readSidecar(folder.sidecar);
  } catch (error) {
    const message = `${(error as Error).message}; ambit skills validate shows where`;
    return {
      findings: [finding('unreadable', 'SKILL.md', null, message)],
      tokens: { metadata: 0, body: 0 },
    };
  }
  const lines = markdownLines(folder.skillMd);
  const tokens = { metadata: metadataTokens(read.manifest, countTokens), body: countTokens(read.body) };
  const findings = [
    ...lintDescription(read.manifest, folder.skillMd),
    ...lintLength(lines, tokens),
    ...lintStructure(lines),
    ...lintLinks(lines, folder.files),
    ...lintLeftovers(lines),
    ...lintFiles(folder, sidecar),
    ...lintTool(folder, sidecar, lines),
  ];
  return { findings: findings.toSorted(byPlace), tokens };
}

function byPlace(a: LintFinding, b: LintFinding): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return (a.line ?? 0) - (b.line ?? 0) || (a.rule < b.rule ? -1 : a.rule > b.rule ? 1 : 0);
}
