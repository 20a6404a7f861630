// Threat model: T109

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/daemon.ts';
import { ambit } from '../../support/daemon-process.ts';
import { localServer } from '../../support/local-server.ts';
import { writeSkills } from '../../support/skills.ts';

test('following the remedies of the command line lets a skill reach its server', async () => {
  const { port } = await localServer();

  const cwd = await temporaryFolder();
  let network = `network: ["127.0.0.1:${port}"]`;
  let grants = '';
  const script = `import { fetch } from 'ambit';
export default async () => (await fetch('http://127.0.0.1:${port}/')).text();`;
  const run = async () => {
    await writeSkills(join(cwd, 'skills'), {
      asks: {
        'ambit.yaml': `run: { runtime: wasm, entry: index.js, capabilities: { ${network}, env: [TZ] } }\n`,
        'index.js': script,
      },
    });
    await writeFile(join(cwd, 'config.yaml'), `skills: [{ path: ./skills, tier: local }]\n${grants}\n`);
    const { stdout, stderr } = await ambit(
      ['run', 'asks', '--config', 'config.yaml', '--input', '{}', '--json'],
      {
        cwd,
      },
    );
    return JSON.parse(stdout === '' ? stderr : stdout);
  };

  const remedies: string[] = [];
  let answer = await run();
  while (answer.outcome?.status !== 'succeeded' && remedies.length < 5) {
    const [denial] = answer.denials ?? answer.error.details.denials;
    remedies.push(denial.remedy);
    network =
      /run\.capabilities: \{ (.*?) \}, and add to ambit.config.yaml: /.exec(denial.remedy)?.[1] ?? network;
    grants = /grants: \{.*\}$/.exec(denial.remedy)?.[0] ?? grants;
    answer = await run();
  }
  const [plain, http] = [`"127.0.0.1:${port}"`, `"http://127.0.0.1:${port}"`];
  expect({ outcome: answer.outcome, remedies }).toEqual({
    outcome: { status: 'succeeded', output: 'hello' },
    remedies: [
      `grants: { asks: { network: [${plain}], env: [TZ] } }`,
      `request it in its ambit.yaml, run.capabilities: { network: [${plain}, ${http}] }, and add to ambit.config.yaml: grants: { asks: { network: [${plain}, ${http}], env: [TZ] } }`,
    ],
  });
});
