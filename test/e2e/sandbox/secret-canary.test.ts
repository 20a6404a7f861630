// Threat model: T95, T203, T204, T205, T253

import { randomUUID } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startDaemon } from '../../support/daemon.ts';
import { localServer } from '../../support/local-server.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('a secret that a call uses and gets back appears in no answer, record, log or file of the daemon', async () => {
  const secret = `canary-${randomUUID().replaceAll('-', '')}+/`;
  const forms = formsOf(secret);
  const named = secret.replace('/', '').toUpperCase();
  const heard: unknown[] = [];
  const { origin: rule } = await localServer((request, response) => {
    heard.push(request.headers.authorization);
    response
      .setHeader('x-echo', secret)
      .setHeader(`x-${named}`, 'in a name')
      .end(`as plain as can be: ${forms.join(' ')}`);
  });
  const capabilities = { network: [rule], secrets: [{ name: 'API_TOKEN', hosts: [rule] }] };
  const [folder, kept] = [await temporaryFolder(), join(await temporaryFolder(), 'token')];
  await writeFile(kept, secret, { mode: 0o600 });
  await writeSkills(folder, {
    program: pythonSkill(
      `import urllib.request
request = urllib.request.Request("${rule}/?token=" + os.environ["API_TOKEN"], headers={"authorization": os.environ["API_TOKEN"]})
answer = urllib.request.urlopen(request, timeout=60)
text = answer.read().decode()
print(text, answer.headers, file=sys.stderr)
print(json.dumps(text + str(answer.headers)))`,
      { capabilities: { ...capabilities, exec: ['python3'] } },
    ),
    script: {
      'ambit.yaml': JSON.stringify({ run: { runtime: 'wasm', entry: 'index.js', capabilities } }),
      'index.js': `import { env, fetch, log } from 'ambit';
        export default async () => {
          const answer = await fetch('${rule}/?token=' + env('API_TOKEN'), { headers: { authorization: env('API_TOKEN') } });
          const text = answer.text() + JSON.stringify(answer.headers);
          log(text);
          return text;
        };`,
    },
  });
  const daemon = await startDaemon({
    skills: [{ path: folder, tier: 'local' }],
    grants: { program: capabilities, script: capabilities },
    secrets: { API_TOKEN: { file: kept } },
  });
  const answers: unknown[] = [];
  for (const skill of ['program', 'script']) {
    const { body } = await daemon.execute(skill, { input: {} });
    expect(body.outcome).toEqual({
      status: 'succeeded',
      output: expect.stringMatching(/^as plain as can be: \*[\s\S]*"?\*+"?: *"?in a name/),
    });
    answers.push(body);
  }
  expect(heard).toEqual([secret, secret]);
  const said = JSON.stringify([answers, await daemon.audit(), daemon.printed(), daemon.logged()]);
  const files = await filesBelow(daemon.dataDir);
  const holding = (text: string): string[] =>
    [...files].filter(([, content]) => content.includes(text)).map(([name]) => name);
  const sought = [...forms, named, named.toLowerCase(), JSON.stringify(forms).slice(2, -2)];
  expect({
    said: sought.filter((form) => said.includes(form)),
    files: sought.flatMap(holding),
    // The search works: it finds the address of the calls in the database.
    permitted: [said.includes(rule), holding(rule).length > 0],
  }).toEqual({ said: [], files: [], permitted: [true, true] });
});

/** Forms in which a server may return the secret: encoded or truncated. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    secret.toUpperCase(),
    secret.replaceAll('/', String.raw`\/`).replaceAll('+', String.raw`\u002B`),
    secret.replaceAll('-', '%2d').replaceAll('+', '%2B'),
    secret.replaceAll('-', '&#x2D;').replaceAll('+', '&plus;'),
    bytes.toString('hex').toUpperCase(),
    bytes.toString('base64'),
    Buffer.from(`${'?'.repeat(30)}${secret}`)
      .toString('base64')
      .replace(/.{64}/, '$&\r\n')
      .slice(41, -2),
    `${secret.slice(0, 24)}...`,
  ];
}

async function filesBelow(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return new Map(await Promise.all(files.map(async (file) => [file, await readFile(file)] as const)));
}
