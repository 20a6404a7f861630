import { join } from 'node:path';
import type { Skill } from '@ambit/core';
import { isBroken, skillUnusable } from '@ambit/core/skill';
import { readSkillRoot, writeAtomically } from '@ambit/runtime';
import { skillStatement, statementBytes } from '../installs/publishers/skill-signature.ts';
import { readAuthorKey } from './author-key.ts';

/**
 * Writes the signature file of a skill with an Ed25519 key, for `ambit skills sign`. Paths are absolute. Rejects with
 * `USAGE_INVALID`, and with `SKILL_INVALID` for a skill that cannot be used.
 */
export async function signSkill(
  folder: string,
  keyFile: string,
): Promise<{ name: string; digest: string; keyId: string; file: string }> {
  const [key, { id, digest }] = [await readAuthorKey(keyFile), await skillIn(folder)];
  const { signatureFile } = await import('@ambit/installs');
  const file = join(folder, signatureFile);
  await writeAtomically(file, `${JSON.stringify(key.sign(skillStatement(id, digest)), null, 2)}\n`);
  return { name: id, digest, keyId: key.keyId, file };
}

/** The bytes that another signer signs as a file, as text. Rejects like `signSkill`. */
export async function statementOf(folder: string): Promise<string> {
  const { id, digest } = await skillIn(folder);
  return Buffer.from(statementBytes(id, digest)).toString();
}

async function skillIn(folder: string): Promise<Skill> {
  const skill = await readSkillRoot({ path: folder, tier: 'untrusted' });
  if (isBroken(skill)) throw skillUnusable(skill);
  return skill;
}
