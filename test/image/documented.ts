import { deepEqual } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Claims } from '../support/claims.ts';
import { repository } from '../support/daemon-process.ts';

/** The options of `docker run` in the documentation, without those for the user's own files and ports. */
export async function documentedOptions(): Promise<string[]> {
  const page = await readFile(join(repository, 'docs/deployment.md'), 'utf8');
  const command = /^docker run (--rm --read-only[\s\S]*?) \\\n {2}ambit serve/m.exec(page)?.[1];
  if (command === undefined) throw new Error('docs/deployment.md has no "docker run … ambit serve"');
  const words = command.replaceAll('\\\n', '').split(/ +/);
  const own = new Set(['-v', '-p']);
  return words.filter((word, at) => word !== '--rm' && !own.has(word) && !own.has(words[at - 1] ?? ''));
}

export async function checkDocumentation({ claim }: Pick<Claims, 'claim'>): Promise<void> {
  await claim('compose.yaml has the documented options', async () => {
    deepEqual(await composedOptions(), await documentedOptions());
  });
}

async function composedOptions(): Promise<string[]> {
  const file = await readFile(join(repository, 'packaging/docker/compose.yaml'), 'utf8');
  const service = parse(file).services.ambit;
  const security = (service.security_opt as string[]).flatMap((option) => [
    '--security-opt',
    option.replace(/=true$/, '').replace('../', 'packaging/'),
  ]);
  return [
    ...(service.read_only === true ? ['--read-only'] : []),
    ...(service.tmpfs as string[]).flatMap((folder) => ['--tmpfs', folder]),
    ...(service.cap_drop as string[]).flatMap((capability) => ['--cap-drop', capability]),
    ...security,
    ...['--memory', service.mem_limit, '--pids-limit', String(service.pids_limit)],
    ...['--stop-timeout', String(Number.parseInt(service.stop_grace_period, 10))],
  ];
}
