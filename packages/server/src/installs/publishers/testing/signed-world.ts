import { join } from 'node:path';
import type { Config } from '../../../config/config.ts';
import type { Publisher } from '../../../config/file/publisher-keys.ts';
import { createAuthorKey } from '../../../local/author-key.ts';
import { signSkill } from '../../../local/sign-skill.ts';
import { project, script } from '../../testing/installer-project.ts';

/** A project whose source `acme` has one skill, with keys of two publishers. */
export async function signedWorld(settings: Partial<Config['installs']> = {}) {
  const skill = (description: string, version = '1.0.0') => ({
    'forms/SKILL.md': `---\nname: forms\ndescription: ${description}\n---\n`,
    'forms/ambit.yaml': `version: ${version}\n`,
    'forms/scripts/run.py': script,
  });
  const base = await project(settings, skill('first'));
  const { config, folder, installs, requester, source } = base;
  const [forms, own, other] = [join(source, 'forms'), join(folder, 'own.key'), join(folder, 'other.key')];
  const acme: Publisher = { name: 'acme', match: [source], ed25519: [`${own}.pub`] };
  base.configure({ publishers: [acme] });
  for (const key of [own, other]) await createAuthorKey(key);
  return {
    ...base,
    forms,
    own,
    other,
    acme,
    signatureFile: join(forms, '.ambit-signature.json'),
    lockFile: config.lockFile,
    write: (description: string, version?: string) => base.write(skill(description, version)),
    sign: (key = own) => signSkill(forms, key),
    update: async () => (await base.update()).skills[0],
    approve: (tier?: 'local' | 'verified') => installs.approve({ id: 'forms', tier }, requester),
    /** Returns the code of the skill's refusal, or its tier. */
    inForce: async () => (await base.inForce())['acme:forms']?.split(' ')[0],
  };
}
