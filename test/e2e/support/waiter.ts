import { randomUUID } from 'node:crypto';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from './daemon.ts';

/** A skill that runs until a file is there, and what it takes to have it. */
export interface WaiterWorld {
  /** A daemon's configuration with the skill `waiter`, and those that are given. */
  config: object;
  /** A file that is not there: the skill's input, and what makes it. */
  file(): { path: string; make(): Promise<void> };
}

export async function waiterWorld(
  skills: Readonly<Record<string, Readonly<Record<string, string>>>> = {},
): Promise<WaiterWorld> {
  const [root, folder] = [await temporaryFolder(), await temporaryFolder()];
  // What runs may be another user.
  await chmod(folder, 0o755);
  await writeSkills(root, { ...skills, waiter });
  return {
    config: {
      skills: [{ path: root, tier: 'local' }],
      grants: { waiter: { filesystem: { read: [folder] } } },
    },
    file() {
      const path = join(folder, randomUUID());
      return { path, make: () => writeFile(path, '') };
    },
  };
}

const waiter = pythonSkill(
  'while not os.path.exists(given): time.sleep(0.02)\nprint(json.dumps("it was there"))',
  { capabilities: { exec: ['python3'], filesystem: { read: ['granted'] } } },
);
