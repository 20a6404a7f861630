import { join } from 'node:path';
import type { Skill } from '@ambit/core';
import { describeIssues, isBroken, parseLargeYaml, skillUnusable } from '@ambit/core/internal';
import { readSkillRoot, writeAtomically } from '@ambit/runtime';
import { CliError } from '../cli/ports/cli-error.ts';
import type { SigningActions } from '../cli/ports/signing-actions.ts';
import { DenyList, denyListStatement } from '../installs/deny-list/deny-list.ts';
import { skillStatement, statementBytes } from '../installs/publishers/skill-signature.ts';
import { createAuthorKey, readAuthorKey } from './author-key.ts';

/** Signs skills for their authors. */
export const signingActions: SigningActions = {
  async sign(folder, keyFile) {
    const [key, { id, digest }] = [await readAuthorKey(keyFile), await skillIn(folder)];
    const { signatureFile } = await import('@ambit/installs');
    const file = join(folder, signatureFile);
    await writeAtomically(file, `${JSON.stringify(key.sign(skillStatement(id, digest)), null, 2)}\n`);
    return { name: id, digest, keyId: key.keyId, file };
  },
  async statement(folder) {
    const { id, digest } = await skillIn(folder);
    return Buffer.from(statementBytes(id, digest)).toString();
  },
  async signDenyList(text, keyFile) {
    const key = await readAuthorKey(keyFile);
    let value: unknown;
    try {
      value = parseLargeYaml(text);
    } catch (cause) {
      throw new CliError('USAGE_INVALID', `not valid YAML: ${(cause as Error).message}`, { cause });
    }
    const list = DenyList.safeParse(value);
    if (list.success) return `${JSON.stringify(key.sign(denyListStatement(list.data)), null, 2)}\n`;
    throw new CliError('USAGE_INVALID', describeIssues(list.error, DenyList, value).slice(0, 5).join('; '));
  },
  newKey: createAuthorKey,
};

async function skillIn(folder: string): Promise<Skill> {
  const skill = await readSkillRoot({ path: folder, tier: 'untrusted' });
  if (isBroken(skill)) throw skillUnusable(skill);
  return skill;
}
