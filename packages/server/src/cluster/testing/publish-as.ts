import type { PolicySections } from '../../config/config.ts';
import { openPostgres, settingsOf } from '../../store/testing/postgres-databases.ts';
import { nodeFiles } from '../identity/node-files.ts';
import { changePolicy } from '../policy/stored-policy.ts';

/** Publishes `sections` as the node of `dataDir` signs them, without checking them: like a node of another version. */
export async function publishAs(
  dataDir: string,
  url: string,
  revision: number,
  sections: Partial<PolicySections>,
): Promise<number> {
  const identity = nodeFiles(dataDir).read();
  if (identity === undefined) throw new Error(`${dataDir} is no node`);
  const store = openPostgres(settingsOf(url), 'beside');
  return changePolicy(store, identity, {
    revision,
    known: revision,
    actor: 'ada',
    sections: sections as PolicySections,
  });
}
