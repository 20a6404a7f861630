import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, isAbsolute, join, resolve } from 'node:path';
import type { InstallErrorCode } from '@ambit/core/outcome';
import type { FoundSkill } from '@ambit/installs';
import { bubblewrapSandbox, egress, type Sandbox } from '@ambit/runtime';
import type { Config } from '../config/config.ts';
import { orStorageError } from './storage-error.ts';

/** The skills of a source, in temporary folders. */
export interface StagedSource {
  /** The version that was read: see `OpenedSource`. */
  resolved: { commit: string } | { sha256: string } | null;
  /** `folder` is where the skill is in the source, empty for the source itself; `root` is where its files are now. */
  skills: readonly SourceSkill[];
  /** Skills that were left out, and why. */
  refused: readonly { folder: string; code: InstallErrorCode; message: string }[];
  close(): Promise<void>;
}

/** A skill of a source. */
interface SourceSkill {
  folder: string;
  root: string;
  /** Its signature file; `undefined`: it has none; `null`: it is a link, or too large. */
  signature: Uint8Array | null | undefined;
}

/** A request to read a source. */
export interface StageRequest {
  /** As a person typed it; see `parseSource`. */
  typed: string;
  /** The version in the lock file: exactly this is read again, if the source can be asked for it. */
  resolved?: string | null;
  /** The folder for its temporary folders; absent: the system's. */
  into?: string;
  /** The paths of this machine that the source may be; absent: any. */
  paths?: 'none' | 'absolute';
}

type StageConfig = Pick<Config, 'installs' | 'deny'>;

/**
 * Reads the skills of a source into temporary folders, without running anything of them. The caller closes the result.
 * Rejects with an `InstallError`, and with `SANDBOX_UNAVAILABLE` for a repository.
 */
export async function stageSource(
  config: StageConfig,
  request: StageRequest,
  signal: AbortSignal,
): Promise<StagedSource> {
  const installs = await import('@ambit/installs');
  return orStorageError(tmpdir(), staged(installs, config, request, signal));
}

async function staged(
  { openSource, parseSource, resolvedSource, surveySource, writeSkills }: typeof import('@ambit/installs'),
  { installs, deny }: StageConfig,
  { typed, resolved = null, into: parent = tmpdir(), paths }: StageRequest,
  signal: AbortSignal,
): Promise<StagedSource> {
  const isPath = (place: string): boolean =>
    paths !== 'none' && (paths !== 'absolute' || isAbsolute(place)) && existsSync(place);
  const parsed = parseSource(typed, isPath);
  const network = egress(async (name) => Promise.reject(new Error(`no secret ${name} for installs`)));
  const into = await mkdtemp(join(parent, 'ambit-skills-'));
  const close = (): Promise<void> => rm(into, { recursive: true, force: true });
  let sandbox: Sandbox | undefined;
  try {
    sandbox = bubblewrapSandbox();
    const source = await openSource(resolvedSource(parsed, resolved), {
      sandbox,
      egress: network,
      signal,
      network: installs.network,
      deny: deny.network,
    });
    try {
      const { skills, refused } = await surveySource(source, source.folder);
      const places = new Map(skills.map((skill, at) => [skill, placeOf(skill, at, parsed.place)]));
      const signatures = await writeSkills(source, skills, into, (skill) => places.get(skill) ?? '');
      return {
        resolved: source.resolved,
        skills: skills.map((skill) => ({
          folder: skill.folder,
          root: join(into, places.get(skill) ?? ''),
          signature: signatures.get(skill),
        })),
        refused: [...source.leftOut, ...refused].map(({ folder, error: { code, message } }) => ({
          folder,
          code,
          message,
        })),
        close,
      };
    } finally {
      await source.close();
    }
  } catch (error) {
    await close();
    throw error;
  } finally {
    await sandbox?.close?.();
    await network.close();
  }
}

/** A folder of its own, named like the skill's: its name should be the skill's. */
function placeOf({ folder }: FoundSkill, at: number, place: string): string {
  return join(String(at), basename(folder === '' ? resolve(place) : folder));
}

/** Formats a resolved version as in the lock file. */
export function resolvedText(resolved: StagedSource['resolved']): string | null {
  if (resolved === null) return null;
  return 'commit' in resolved ? `commit:${resolved.commit}` : `sha256:${resolved.sha256}`;
}
