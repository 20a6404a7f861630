import { noCapabilities } from '@ambit/core/policy';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { policySections } from '../config/cluster-policy.ts';
import { plainConfig } from '../testing/plain-config.ts';
import { changeGrant } from './grant-locally.ts';

test('a grant is refused while a policy of the cluster is in force, and possible once it is withdrawn', async () => {
  const cwd = await temporaryFolder();
  const config = {
    ...plainConfig,
    dataDir: `${cwd}/data`,
    file: `${cwd}/ambit.yaml`,
    lockFile: `${cwd}/ambit.lock`,
  };
  const none = { read: [], write: [], network: [], exec: [], secrets: [], limits: [] };
  const grantUnder = (own: ReturnType<typeof policySections> | null) =>
    changeGrant(
      {
        config: { ...config, grants: { gone: noCapabilities }, clusterPolicy: { revision: 3, own } },
        environment: {},
        home: cwd,
        cwd,
      },
      'gone',
      { items: { ...none, env: ['TZ'] }, remove: true },
      () => false,
    );
  await expect(grantUnder(policySections(config))).rejects.toMatchObject({
    code: 'USAGE_INVALID',
    message: `the policy of the cluster (revision 3) is in force, not the grants in ${config.file}. Change them there and publish them with: ambit cluster policy publish`,
  });
  await expect(grantUnder(null)).rejects.toMatchObject({
    code: 'USAGE_INVALID',
    message: expect.stringContaining('gone is not granted exactly env TZ'),
  });
});
