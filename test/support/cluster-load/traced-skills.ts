import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pythonSkill, writeSkills } from '../skills.ts';

/** Skills whose runs leave a file each: a trace outside of what Ambit stores. */
export interface TracedSkills {
  /** Grants them what they need. */
  config: { skills: readonly object[]; grants: object };
  /** Has a file `KEY.ID` for each run; of `traced`, the id is its execution's. */
  runs: string;
  /** With a file `now`, all runs of `held` end. */
  released: string;
  /** Ends all runs of `held`. */
  release(): Promise<void>;
}

/**
 * Writes the skills into a folder: `traced` leaves its file and returns its execution id, and `held` leaves its file and then runs
 * until it is released. Both take `{ key }`.
 */
export async function tracedSkills(folder: string): Promise<TracedSkills> {
  const [skills, runs, released] = [join(folder, 'skills'), join(folder, 'runs'), join(folder, 'released')];
  for (const each of [runs, released]) {
    await mkdir(each, { recursive: true });
    // Skills may run as another user.
    await chmod(each, 0o777);
  }
  await writeSkills(skills, {
    traced: {
      'ambit.yaml': JSON.stringify({
        run: {
          runtime: 'wasm',
          entry: 'scripts/run.js',
          capabilities: { filesystem: { write: [runs] } },
        },
      }),
      'scripts/run.js': `import { context, writeFile } from 'ambit';
export default ({ key }) => {
  const { executionId } = context();
  writeFile('${runs}/' + key + '.' + executionId, '');
  return { key, executionId };
};\n`,
    },
    held: pythonSkill(
      `import uuid
open(f"${runs}/{given['key']}.{uuid.uuid4()}", "w").close()
while not os.path.exists("${released}/now"): time.sleep(0.02)
print(json.dumps("released"))`,
      { capabilities: { exec: ['python3'], filesystem: { read: [released], write: [runs] } } },
    ),
  });
  return {
    config: {
      skills: [{ path: skills, tier: 'local' }],
      grants: {
        traced: { filesystem: { write: [runs] } },
        held: { filesystem: { read: [released], write: [runs] } },
      },
    },
    runs,
    released,
    release: () => writeFile(join(released, 'now'), ''),
  };
}
