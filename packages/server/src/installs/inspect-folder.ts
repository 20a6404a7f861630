import { join } from 'node:path';
import { isExecutable, type Skill, SkillError } from '@ambit/core';
import {
  type InspectedFile,
  type Inspection,
  type InspectionPorts,
  inspectionBounds,
  inspectSkill,
} from '@ambit/core/inspect';
import {
  callableScripts,
  declaredRuns,
  type HiddenFrom,
  isPython,
  runtimeOf,
  skillFileNames,
} from '@ambit/core/skill';
import {
  type FolderEntry,
  findHostProgram,
  listFolder,
  readListedFile,
  readOrdinaryFile,
  redactShapes,
  secretsIn,
} from '@ambit/runtime';
import { type NeededPackages, neededPackages } from './dependencies/needed-packages.ts';
import type { ReviewedSigner } from './publishers/provenance.ts';

/** A skill to review, or a folder that cannot be loaded as a skill and why. */
export type ReviewedSkill = Skill | { id: string; root: string; problem: string };

/** A skill with what was found in it. */
export interface SkillReview extends Inspection {
  id: string;
  description: string | null;
  version: string | null;
  digest: string | null;
  tier: string | null;
  executable: boolean;
  root: string;
  /** The archive or repository that it was read from; `null` for a folder of this machine. */
  source: { named: string; resolved: { commit: string } | { sha256: string } | null } | null;
  /** The signer; absent: the skill was not read from a source, or is installed, or cannot be loaded. */
  signer?: ReviewedSigner;
  /** The reason that it cannot be loaded; `null` if it can. */
  problem: string | null;
  /** Notes on what loading reads differently from other tools, or ignores. */
  warnings: readonly string[];
  /** The readers that are not offered it. */
  hiddenFrom: readonly HiddenFrom[];
  files: { path: string; bytes: number }[];
  bytes: number;
  dependencies: NeededPackages;
}

const ports: InspectionPorts = {
  secretsIn,
  redact: redactShapes,
  hasProgram: (name) => findHostProgram(name) !== undefined,
};

/**
 * Reads a skill's files within the bounds and inspects them. Runs nothing. `otherIds` are the ids of
 * the other configured skills. Rejects with `SKILL_CHANGED` if a file changes meanwhile, and with
 * `SKILL_INVALID` if the folder cannot be listed.
 */
export async function inspectFolder(skill: ReviewedSkill, otherIds: readonly string[]): Promise<SkillReview> {
  const { entries, hidden } = await listFolder(skill.root);
  const files = await filesOf(skill, entries);
  const loaded = 'digest' in skill ? skill : undefined;
  const inspection = inspectSkill(
    {
      id: skill.id,
      files,
      hidden,
      otherIds,
      sidecar: loaded?.sidecar,
      allowedTools: loaded?.manifest.allowedTools,
      metadata: loaded?.manifest.metadata,
    },
    ports,
  );
  const inWasm = new Set(loaded && wasmPaths(loaded));
  return {
    id: skill.id,
    description: loaded?.manifest.description ?? null,
    version: loaded?.sidecar.version ?? null,
    digest: loaded?.digest ?? null,
    tier: loaded?.tier ?? null,
    executable: loaded !== undefined && isExecutable(loaded),
    root: skill.root,
    source: null,
    problem: 'problem' in skill ? skill.problem : null,
    warnings: loaded?.warnings ?? [],
    hiddenFrom: loaded?.hiddenFrom ?? [],
    files: entries.map(({ path, bytes }) => ({ path, bytes })),
    bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0),
    dependencies: await neededPackages(skill.root, inspection.scripts),
    ...inspection,
    scripts: inspection.scripts
      .toSorted(byPath)
      .map((script) => (inWasm.has(script.path) ? script : { ...script, wasm: null })),
  };
}

function byPath(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : 1;
}

/** The files that run as Python in WebAssembly: by the sidecar, or because of the tier. */
function wasmPaths(skill: Skill): string[] {
  const declared = declaredRuns(skill).flatMap(({ run }) => (isPython(run) ? [run.entry] : []));
  if (skill.tier !== 'untrusted') return declared;
  const packages = skill.files.filter(({ path }) => path.endsWith('/__main__.py'));
  const python = callableScripts(skill).filter((script) => runtimeOf(skill, script) === 'wasm');
  return [...declared, ...[...python, ...packages].map(({ path }) => path)];
}

async function filesOf(skill: ReviewedSkill, entries: readonly FolderEntry[]): Promise<InspectedFile[]> {
  let left = inspectionBounds.bytes;
  let count = 0;
  const files: InspectedFile[] = [];
  for (const { path, bytes, link } of entries.toSorted(byWeight)) {
    if (link !== undefined) files.push({ path, bytes, link });
    else if (bytes > left || count >= inspectionBounds.files) files.push({ path, bytes });
    else {
      left -= bytes;
      count += 1;
      files.push({ path, bytes, content: await contentOf(skill, path) });
    }
  }
  return files;
}

/** What agents and interpreters read comes first, so that padding does not push it out of bounds. */
function byWeight(a: FolderEntry, b: FolderEntry): number {
  return weight(a) - weight(b) || a.bytes - b.bytes || (a.path < b.path ? -1 : 1);
}

function weight({ path }: FolderEntry): number {
  if (skillFileNames.includes(path) || path === 'ambit.yaml') return 0;
  return /\.(?:md|py|sh|bash|[cm]?[jt]s|pl|rb|ps1|pyc|json|ya?ml|toml|txt)$/i.test(path) ? 1 : 2;
}

/** The bytes that the digest covers. A folder that does not load has no digest. */
async function contentOf(skill: ReviewedSkill, path: string): Promise<Uint8Array> {
  const place = join(skill.root, path);
  if (!('digest' in skill)) return await readOrdinaryFile(place);
  const listed = skill.files.find((file) => file.path === path);
  const content = listed === undefined ? undefined : await readListedFile(skill, listed);
  if (content !== undefined) return content;
  throw new SkillError('SKILL_CHANGED', `${path} changed after the skill was read; review it again`);
}
