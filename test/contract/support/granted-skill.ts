import { chmod, mkdtemp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  asToolSkill,
  Capabilities,
  type Grant,
  grantCall,
  type Policy,
  type ToolSkill,
} from '../../../packages/core/src/execute.ts';
import type { Skill } from '../../../packages/core/src/index.ts';
import { noCapabilities, tierCeilings } from '../../../packages/core/src/policy.ts';
import { isBroken } from '../../../packages/core/src/skill.ts';
import { folderCatalog } from '../../../packages/runtime/src/index.ts';
import { writeSkills } from '../../support/skills.ts';

/**
 * A skill named `subject` in a new folder below `parent`, read like the daemon reads it and granted
 * what it requests. Access outside the sandbox needs `operator`. The folder is readable for all
 * users, because a sandbox may run as another user.
 */
export async function grantedSkill(
  parent: string,
  run: object,
  files: Readonly<Record<string, string | Uint8Array>>,
  operator: object = {},
): Promise<Grant> {
  const root = join(await mkdtemp(join(parent, 'skill-')), 'subject');
  await writeSkills(dirname(root), { subject: { 'ambit.yaml': JSON.stringify({ run }), ...files } });
  await chmod(dirname(root), 0o755);
  const found = await folderCatalog([{ path: root, tier: 'local' }]).find('subject');
  if (found === undefined || isBroken(found)) throw new Error(found?.problem ?? 'the skill was not found');
  return granted(found, operator);
}

/**
 * Grants what the tier allows, and access outside the sandbox according to `operator`: none if
 * absent.
 */
export function granted(skill: Skill, operator: object = {}): Grant {
  const tool = asToolSkill(skill);
  if (tool === undefined) throw new Error('the skill has no run');
  return grantedTool(tool, operator);
}

/** Grants a tool as `granted` does. */
export function grantedTool(tool: ToolSkill, operator: object = {}): Grant {
  return grantCall({ ...policy, grants: new Map([[tool.id, Capabilities.parse(operator)]]) }, tool);
}

const policy: Policy = {
  digest: 'sha256:test',
  tiers: tierCeilings,
  grants: new Map(),
  deny: noCapabilities,
  limits: {},
};
