import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sharedDaemon } from '../../support/daemon.ts';
import type { Daemon } from '../../support/daemon-process.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A skill that runs until a file exists, and a way to create the file. */
export interface WaiterWorld {
  /** A daemon's configuration with the skill `waiter` and the given ones. */
  config: { skills: readonly object[]; grants: { waiter: object } };
  /** The path of a missing file, which is the skill's input, and a function that creates it. */
  file(): { path: string; make(): Promise<void> };
}

/** `newFolder` makes the folders of the skills and of the files; by default, for one test. */
export async function waiterWorld(
  skills: Readonly<Record<string, Readonly<Record<string, string>>>> = {},
  newFolder = temporaryFolder,
): Promise<WaiterWorld> {
  const [root, folder] = [await newFolder(), await newFolder()];
  // Skills may run as another user.
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

/** A daemon with the skill `waiter` and the given ones that all tests of the calling file share, and files for it. */
export function sharedWaiter(
  skills: Parameters<typeof waiterWorld>[0] = {},
  more: object = {},
): { daemon: () => Daemon; file: WaiterWorld['file'] } {
  let world: WaiterWorld | undefined;
  const daemon = sharedDaemon(async (root) => {
    world = await waiterWorld(skills, () => mkdtemp(join(dirname(root), 'waiter-')));
    return { ...world.config, ...more };
  });
  return {
    daemon,
    file() {
      if (world === undefined) throw new Error('the shared daemon has not started');
      return world.file();
    },
  };
}

/** The limits of a skill that runs until its test lets it end. On a busy machine, that takes longer than the default. */
export const patientLimits = { timeoutMs: 600_000 };

/** The skill: runs until the file in its input exists. */
export const waiter = pythonSkill(
  'while not os.path.exists(given): time.sleep(0.02)\nprint(json.dumps("released"))',
  { capabilities: { exec: ['python3'], filesystem: { read: ['granted'] } }, limits: patientLimits },
);
