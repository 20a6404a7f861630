import type { ListedKey } from '@ambit/client';
import { useLoaded } from '../../part/loaded.ts';
import { Mark } from '../../part/outcome.tsx';
import { Page } from '../../part/page.tsx';
import { Empty, Shown } from '../../part/shown.tsx';
import { Table } from '../../part/table.tsx';
import { Time } from '../../part/time.tsx';
import { Visible } from '../../part/visible.tsx';
import { runsPath } from '../../paths.ts';
import { client } from '../../session/session.ts';
import { UnlessReadOnly } from '../../session/unless-read-only.tsx';
import { WhatIf } from './what-if.tsx';

/** The configuration in force, the keys, and what a call would be allowed. Nothing can be changed here. */
export function SettingsView() {
  return (
    <Page
      title="Settings"
      lead="The configuration and keys in force. To change them, edit ambit.config.yaml and use the command ambit key."
    >
      <UnlessReadOnly cannot="see the configuration and the keys, or ask what the policy decides">
        <InForce />
      </UnlessReadOnly>
    </Page>
  );
}

function InForce() {
  const configuration = useLoaded('configuration', (signal) => client.configuration({ signal }));
  const keys = useLoaded('keys', (signal) => client.keys({ signal }));
  return (
    <>
      <WhatIf />
      <h2>API keys</h2>
      <Shown loaded={keys}>
        {(all) => (
          <>
            <Table
              columns={['Key', 'Scopes', 'Skills', 'Rate limit', 'Valid']}
              rows={all.map((key) => ({
                key: key.name,
                cells: [
                  <>
                    <a href={runsPath({ actor: actorOf(key) })}>
                      <Visible text={key.name} />
                    </a>
                    {actorOf(key) !== key.name && ` (in the log: ${actorOf(key)})`}
                  </>,
                  key.scopes.join(', '),
                  key.skills === undefined ? 'all' : <Visible text={key.skills.join(', ')} />,
                  key.ratePerMinute === undefined ? 'none' : `${key.ratePerMinute} per minute`,
                  <Validity {...key} />,
                ],
              }))}
            />
            {all.length === 1 && (
              <Empty>
                Only the first key exists. Create one for each client with <code>ambit key create</code>.
              </Empty>
            )}
          </>
        )}
      </Shown>
      <h2>Configuration</h2>
      <Shown loaded={configuration}>
        {(values) => (
          <Table
            columns={['Setting', 'Value', 'Origin']}
            rows={values.map(({ key, value, origin }) => ({
              key,
              cells: [
                <code class="whole">{key}</code>,
                <>
                  {grantsHost(key, value) && <Mark tone="bad" word="everything that its user may do" />}{' '}
                  {value === null ? 'not set' : <Visible text={JSON.stringify(value)} />}
                </>,
                <Visible text={origin} />,
              ],
            }))}
          />
        )}
      </Shown>
    </>
  );
}

/** Whether a setting gives a skill the rights of a user. */
function grantsHost(key: string, value: unknown): boolean {
  return key.startsWith('grants.') && (value as { host?: unknown } | null)?.host === true;
}

/** The name of a key in the log. The first key has one of its own there. */
function actorOf({ name }: ListedKey): string {
  return name === 'first' ? 'key' : name;
}

function Validity({ revokedAt, expiresAt }: ListedKey) {
  if (revokedAt !== undefined)
    return (
      <>
        revoked <Time at={revokedAt} />
      </>
    );
  if (expiresAt === undefined) return <>until it is revoked</>;
  return (
    <>
      until <Time at={expiresAt} />
    </>
  );
}
