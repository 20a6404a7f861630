import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TracedSkills } from '../cluster-load/traced-skills.ts';
import { pythonSkill, writeSkills } from '../skills.ts';

/**
 * The source of an installed skill that returns its version. It reads that from its folder at its end, and leaves a trace at its
 * beginning. With `{ key, isHeld: true }` it runs until its file in the folder `released` exists.
 */
export interface VersionedSkill {
  id: string;
  source: string;
  grants: object;
  /** The version of the source; 0 before the first. */
  version(): number;
  /** Writes the next version into the source. */
  writeNext(): Promise<number>;
  /** Ends the held run of a key. */
  release(key: string): Promise<void>;
}

export async function versionedSkill(
  folder: string,
  { runs, released }: TracedSkills,
): Promise<VersionedSkill> {
  const source = join(folder, 'source');
  const filesystem = { read: [released], write: [runs] };
  let version = 0;
  return {
    id: 'acme:versioned',
    source,
    grants: { 'acme:versioned': { filesystem } },
    version: () => version,
    async writeNext() {
      version += 1;
      await writeSkills(source, {
        versioned: {
          ...pythonSkill(
            `import uuid
open(f"${runs}/{given['key']}.{uuid.uuid4()}", "w").close()
while given.get('isHeld') and not os.path.exists(f"${released}/{given['key']}"): time.sleep(0.02)
print(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "version.txt")).read())`,
            { capabilities: { exec: ['python3'], filesystem } },
          ),
          'scripts/version.txt': String(version),
        },
      });
      return version;
    },
    release: (key) => writeFile(join(released, key), ''),
  };
}
