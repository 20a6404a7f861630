import { join } from 'node:path';
import type { Skill } from '@ambit/core';
import { isBroken, skillUnusable } from '@ambit/core/skill';
import { readSkillRoot, writeAtomically } from '@ambit/runtime';
import { skillStatement, statementBytes } from '../installs/publishers/skill-signature.ts';
import { createAuthorKey, readAuthorKey } from './author-key.ts';

/** The actions of `ambit skills sign` and `ambit skills new-key`. Paths are absolute. Methods reject with `USAGE_INVALID`. */
export interface SigningActions {
  /** Writes the signature file of a skill with an Ed25519 key. Rejects with `SKILL_INVALID` for a skill that cannot be used. */
  sign(
    folder: string,
    keyFile: string,
  ): Promise<{ name: string; digest: string; keyId: string; file: string }>;
  /** The bytes that another signer signs as a file, as text. */
  statement(folder: string): Promise<string>;
  /** Creates an Ed25519 key in a new file that only its owner can read, and its public key beside it. */
  newKey(file: string): Promise<{ keyId: string; keyFile: string; publicKeyFile: string }>;
}

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
