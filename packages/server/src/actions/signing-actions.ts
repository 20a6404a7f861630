import { join } from 'node:path';
import type { Skill } from '@ambit/core';
import { isBroken, skillUnusable } from '@ambit/core/skill';
import { readSkillRoot, writeAtomically } from '@ambit/runtime';
import type { SigningActions } from '../cli/ports/signing-actions.ts';
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
  newKey: createAuthorKey,
};

async function skillIn(folder: string): Promise<Skill> {
  const skill = await readSkillRoot({ path: folder, tier: 'untrusted' });
  if (isBroken(skill)) throw skillUnusable(skill);
  return skill;
}
