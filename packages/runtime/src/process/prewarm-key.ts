import { lstatSync } from 'node:fs';
import type { Grant } from '@ambit/core/execute';
import { listFolder, signatureOf } from '../skills/folder/list-folder.ts';
import { identityOf } from './sandbox/mount-identity.ts';
import type { RunLimits } from './sandbox/sandbox.ts';
import type { SkillCommand } from './sandboxed-command.ts';

/** The command and the limits of a call on this machine. */
export interface RunPlan {
  command: SkillCommand;
  limits: RunLimits;
}

/**
 * Identifies everything a waiting program was started with. This includes the skill folder's
 * current files, because a program reads them before it waits, and the identity of each mounted
 * file, because a mount keeps the old file when its path is replaced. `folder` is from
 * `folderSignature`.
 */
export function prewarmKey({ skill }: Grant, plan: RunPlan, folder: string): string {
  return JSON.stringify([
    skill.digest,
    folder,
    plan,
    plan.command.mounts.map(({ source }) => fileIdentity(source)),
  ]);
}

/** The current files of a skill's folder. */
export async function folderSignature({ skill }: Grant): Promise<string> {
  return signatureOf(await listFolder(skill.root));
}

/** A grant as text: equal for equal decisions about the same skill. */
export function grantText({ skill, ...grant }: Grant): string {
  return JSON.stringify([skill.id, skill.root, skill.digest, grant]);
}

function fileIdentity(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined ? 'gone' : identityOf(stats);
}
