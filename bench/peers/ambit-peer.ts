import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { daemonProcess } from '../../test/support/daemon-process.ts';
import { writeSkills } from '../../test/support/skills.ts';
import { input, moduleScript, type Peer, requireOutput, served, shellScript } from './peer.ts';

/** Calls over HTTP, each authenticated and durably recorded. */
export function ambit(name: string, folder: string, skill: 'shell' | 'module'): Peer {
  return served(name, async () => {
    const place = await mkdtemp(join(folder, 'ambit-'));
    await writeSkills(join(place, 'skills'), {
      shell: {
        'ambit.yaml': JSON.stringify({
          run: { runtime: 'process', entry: 'scripts/run.sh', capabilities: { exec: ['sh'] } },
        }),
        'scripts/run.sh': shellScript,
      },
      module: {
        'ambit.yaml': JSON.stringify({ run: { runtime: 'wasm', entry: 'scripts/run.js' } }),
        'scripts/run.js': moduleScript,
      },
    });
    const config = { skills: [{ path: join(place, 'skills'), tier: 'local' }], logLevel: 'error' };
    const daemon = await daemonProcess(place, config);
    return {
      async call() {
        const { body } = await daemon.execute(skill, { input });
        requireOutput(name, JSON.stringify(body.outcome?.output));
      },
      close: () => daemon.stop('SIGKILL'),
    };
  });
}
