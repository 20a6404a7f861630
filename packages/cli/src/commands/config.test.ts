import { Capabilities } from '@ambit/core/execute';
import { noCapabilities } from '@ambit/core/policy';
import type { Config, ConfigEntry } from '@ambit/server/config';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { plainConfig } from '../../../server/src/testing/plain-config.ts';
import { runAmbit } from '../testing/run-ambit.ts';

const own = '/home/ada/.config/ambit/ambit.config.yaml';

const values: ConfigEntry[] = [
  { key: 'listen.host', value: '127.0.0.1', origin: 'default' },
  { key: 'listen.port', value: 8080, origin: 'env:AMBIT_PORT' },
  {
    key: 'grants.git-summary',
    value: Capabilities.parse({ filesystem: { read: ['/srv'] } }),
    origin: 'file:/etc/ambit.yaml',
  },
  { key: 'deny', value: noCapabilities, origin: 'default' },
];

test('prints every value with its origin, and grants without empty capabilities', async () => {
  const scope = { kind: 'named', by: '--config' } as const;
  const loadConfig = async () => ({ ...plainConfig, file: '/etc/ambit.yaml', scope });
  expect(await runAmbit('config --config /etc/ambit.yaml', { values, loadConfig })).toEqual({
    exitCode: 0,
    stderr: 'Configuration: /etc/ambit.yaml, named by --config.\n',
    stdout: `listen.host         default               127.0.0.1
listen.port         env:AMBIT_PORT        8080
grants.git-summary  file:/etc/ambit.yaml  {"filesystem":{"read":["/srv"]}}
deny                default               {}
`,
  });
});

test.each<[Partial<Config>, string]>([
  [{}, 'defaults, for the project found at /work, which has .ambit and no ambit.config.yaml'],
  [
    {
      file: '/work/ambit.config.yaml',
      scope: { kind: 'project', folder: '/work', sign: 'ambit.config.yaml' },
    },
    '/work/ambit.config.yaml, of the project found at /work',
  ],
  [
    { file: own, scope: { kind: 'user', searched: '/srv/x' } },
    `${own}, the user's own, because no project was found in /srv/x or above`,
  ],
  [
    { scope: { kind: 'user', searched: '/srv/x' } },
    `defaults, for the user, because no project was found in /srv/x or above, and ${own} does not exist`,
  ],
])('says which configuration is in force and why, and where to create a missing one', async (place, said) => {
  const config = { ...plainConfig, ...place };
  const { stderr } = await runAmbit('config', { values, loadConfig: async () => config });
  const created = config.scope.kind === 'user' ? own : '/work/ambit.config.yaml';
  const hint = config.file === undefined ? `To configure it, create ${created}.\n` : '';
  expect(stderr).toBe(`Configuration: ${said}.\n${hint}`);
});

test('warns about skills in the configuration that do not exist', async () => {
  const path = await temporaryFolder({
    'git-summary/SKILL.md': '---\nname: git-summary\ndescription: d\n---\n',
  });
  const skills = [{ path, tier: 'local' as const }];
  const grants = { 'git-sumary': Capabilities.parse({}) };
  const loadConfig = async () => ({ ...plainConfig, file: '/etc/ambit.yaml', skills, grants });
  expect((await runAmbit('config --json', { values, loadConfig })).stderr).toBe(
    'warning: grants: the skill "git-sumary" does not exist; did you mean git-summary?\n',
  );
});

test('--json prints one complete document', async () => {
  const { stdout } = await runAmbit('config --json', { values });
  const configuration = { file: null, kind: 'project', folder: '/work', sign: '.ambit' };
  expect(stdout).toBe(`${JSON.stringify({ configuration, values })}\n`);
});
