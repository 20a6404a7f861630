import { Capabilities } from '@ambit/core/execute';
import { noCapabilities } from '@ambit/core/policy';
import { expect, test } from 'vitest';
import type { ConfigEntry, ConfigFlags } from '../../config/config.ts';
import { plainConfig, runAmbit } from '../../testing/run-ambit.ts';

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
  const flags: ConfigFlags[] = [];
  const configWithOrigins = async (given: ConfigFlags) => {
    flags.push(given);
    return values;
  };
  const loadConfig = async () => ({ ...plainConfig, file: '/etc/ambit.yaml' });
  const actions = { configWithOrigins, loadConfig };
  expect(await runAmbit('config --config /etc/ambit.yaml', { actions })).toEqual({
    exitCode: 0,
    stderr: '',
    stdout: `listen.host         default               127.0.0.1
listen.port         env:AMBIT_PORT        8080
grants.git-summary  file:/etc/ambit.yaml  {"filesystem":{"read":["/srv"]}}
deny                default               {}
`,
  });
  expect(flags).toMatchObject([{ config: '/etc/ambit.yaml' }]);
});

test('without a configuration file, prints where to create one', async () => {
  const { stderr } = await runAmbit('config', { actions: { configWithOrigins: async () => values } });
  expect(stderr).toBe(
    'There is no ambit.config.yaml. To configure this folder, create /work/ambit.config.yaml.\n',
  );
});

test('warns about skills in the configuration that do not exist', async () => {
  const warning = 'grants: the skill "git-sumary" does not exist; did you mean git-summary?';
  const loadConfig = async () => ({ ...plainConfig, file: '/etc/ambit.yaml' });
  const skillWarnings = async () => [warning];
  const reloadDaemon = async () => ({
    outcome: 'unchanged' as const,
    changed: [],
    issues: [],
    policyDigest: '',
  });
  const actions = { configWithOrigins: async () => values, loadConfig, skillWarnings, reloadDaemon };
  for (const line of ['config', 'config --json', 'config reload'])
    expect((await runAmbit(line, { actions })).stderr).toBe(`warning: ${warning}\n`);
});

test('--json prints one complete document', async () => {
  const { stdout } = await runAmbit('config --json', { actions: { configWithOrigins: async () => values } });
  expect(stdout).toBe(`${JSON.stringify({ values })}\n`);
});
