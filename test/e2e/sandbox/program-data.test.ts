// Threat model: T384

import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { packagedData } from '../../../scripts/bootstrap/system-packages.mjs';
import { sharedDaemon } from '../../support/daemon.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';

/** Debian's docutils reads this file below /usr/share/docutils, which belongs to another package. */
const includesData = `import docutils.core, mimetypes, os
html = docutils.core.publish_string(".. include:: <isonum.txt>\\n\\n|copy|", writer_name="html5").decode()
print(json.dumps({
    "copyright": "<p>\\u00a9</p>" in html,
    "type": mimetypes.guess_type("x.webp")[0],
    "others": [path for path in ("/usr/share/doc", "/usr/share/keyrings", "/etc/shadow", "/etc/apt") if os.path.exists(path)],
}))`;

const shared = sharedDaemon(async (skills) => {
  const exec = { capabilities: { exec: ['python3'] } };
  await writeSkills(skills, { granted: pythonSkill(includesData, exec) });
  return { skills: [{ path: skills, tier: 'local' }] };
});

test.skipIf(!existsSync(packagedData))(
  'a Python skill uses a module of Debian whose data is in another package, and sees no other data',
  async () => {
    const { body } = await shared().execute('granted', { input: {} });
    expect(body.outcome).toMatchObject({
      status: 'succeeded',
      output: { copyright: true, type: 'image/webp', others: [] },
    });
  },
);
