import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Writes skill folders below `root`: name → path → content. Files in `scripts/` are executable. */
export async function writeSkills(
  root: string,
  skills: Readonly<Record<string, Readonly<Record<string, string | Uint8Array>>>>,
): Promise<void> {
  for (const [name, files] of Object.entries(skills)) {
    const all = { 'SKILL.md': `---\nname: ${name}\ndescription: A skill of a test.\n---\n`, ...files };
    for (const [path, content] of Object.entries(all)) {
      const file = join(root, name, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
      if (path.startsWith('scripts/')) await chmod(file, 0o755);
    }
  }
}

/** A Python skill with protocol json. Its script is `body`, and `given` is the input. */
export function pythonSkill(body: string, run: object = {}): Record<string, string> {
  return {
    'ambit.yaml': JSON.stringify({
      run: { runtime: 'process', entry: 'scripts/run.py', capabilities: { exec: ['python3'] }, ...run },
    }),
    'scripts/run.py': `#!/usr/bin/env python3\nimport json, os, sys, time\ngiven = json.load(sys.stdin)\n${body}\n`,
  };
}
