import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  asToolSkill,
  Capabilities,
  type Grant,
  grantCall,
  type Narrowing,
  type Tier,
} from '@ambit/core/execute';
import { noCapabilities, tierCeilings } from '@ambit/core/policy';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { readSkillFolder } from '../skills/folder/read-skill-folder.ts';

/** Writes files below a folder; files in `scripts/` are executable. */
export async function writeFiles(
  root: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
    if (path.startsWith('scripts/')) await chmod(join(root, path), 0o755);
  }
}

/** A skill for one test, read from disk and granted for one call. */
export async function grantedSkill(
  run: object,
  files: Readonly<Record<string, string | Uint8Array>>,
  {
    operator = {},
    narrowing = {},
    tier = 'local',
  }: { operator?: object; narrowing?: Narrowing; tier?: Tier } = {},
): Promise<Grant> {
  const root = join(await temporaryFolder(), 'subject');
  await writeFiles(root, {
    'SKILL.md': '---\nname: subject\ndescription: A skill of a test.\n---\n',
    'ambit.yaml': JSON.stringify({ run }),
    ...files,
  });
  const skill = asToolSkill((await readSkillFolder(root, tier)).skill);
  if (skill === undefined) throw new Error('the skill has a run, so it is a tool');
  const policy = {
    digest: 'sha256:test',
    tiers: tierCeilings,
    grants: new Map([['subject', Capabilities.parse(operator)]]),
    deny: noCapabilities,
    limits: {},
  };
  return grantCall(policy, skill, { narrowing });
}
