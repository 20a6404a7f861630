import { chmod, chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { certificate } from '../support/certificate.ts';
import { pythonSkill, writeSkills } from '../support/skills.ts';

/** The user of the image. */
const imageUser = 10_001;

/** Writes a configuration with skills of the tests, and one with TLS in `tls`. */
export async function writeConfiguration(folder: string): Promise<void> {
  await mkdir(folder);
  await chmod(folder, 0o755);
  const config = {
    skills: [{ path: '/etc/ambit/skills', tier: 'local' }],
    grants: { 'shell-echo': { exec: ['sh'] } },
  };
  await writeFile(join(folder, 'ambit.config.yaml'), JSON.stringify(config));
  await mkdir(join(folder, 'tls'));
  const { key } = certificate(join(folder, 'tls'), 'localhost');
  await chown(key, imageUser, imageUser);
  const tls = { cert: '/etc/ambit/tls/localhost.pem', key: '/etc/ambit/tls/localhost-key.pem' };
  const listen = { host: '0.0.0.0', port: 8443, tls, names: ['localhost'] };
  await writeFile(join(folder, 'tls/ambit.config.yaml'), JSON.stringify({ listen }));
  await writeSkills(join(folder, 'skills'), {
    'shell-echo': {
      'ambit.yaml': JSON.stringify({
        run: { runtime: 'process', entry: 'scripts/run.sh', capabilities: { exec: ['sh'] } },
      }),
      'scripts/run.sh': '#!/bin/sh\nread -r name < /proc/sys/kernel/hostname && echo "\\"$name\\""\n',
    },
    'python-add': {
      'ambit.yaml': JSON.stringify({ run: { runtime: 'wasm', entry: 'add.py' } }),
      'add.py': 'import json, sys\nprint(sum(json.load(sys.stdin)))\n',
    },
    'slow-sum': pythonSkill('time.sleep(4)\nprint(json.dumps(sum(given)))'),
    'memory-hog': pythonSkill('print(len(bytes(4 * 2**30)))'),
  });
}
