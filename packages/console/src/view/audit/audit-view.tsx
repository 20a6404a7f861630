import type { AuditChain } from '@ambit/client';
import { useState } from 'preact/hooks';
import { countText, plural } from '../../format/units.ts';
import { useLoaded } from '../../part/loaded.ts';
import { Mark } from '../../part/outcome.tsx';
import { Page } from '../../part/page.tsx';
import { Failure, Shown } from '../../part/shown.tsx';
import { Time } from '../../part/time.tsx';
import { Visible } from '../../part/visible.tsx';
import { client } from '../../session/session.ts';
import { EventList } from './event-list.tsx';

const changeKinds = [
  'config.reloaded',
  'config.refused',
  'policy.changed',
  'key.rotated',
  'log.pruned',
  'daemon.started',
  'daemon.stopped',
  'console.issued',
  'console.opened',
  'console.unlocked',
  'console.closed',
];

/** Whether the log is intact, what proves it, and what changed outside calls. */
export function AuditView() {
  const chain = useLoaded('chain', (signal) => client.audit.chain({ signal }));
  return (
    <Page
      title="Audit"
      lead="Every event has the hash of the previous one, and the log is signed. Verification finds changed, removed and added events."
    >
      <Shown loaded={chain}>{(state) => <Chain chain={state} reload={chain.reload} />}</Shown>
      <h2>Changes to the configuration, the log and sessions</h2>
      <EventList kinds={changeKinds} empty="Nothing has changed." />
    </Page>
  );
}

function Chain({ chain, reload }: { chain: AuditChain; reload: () => void }) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const verify = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await client.audit.verify();
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
    reload();
  };
  const { createdAt, last, checkpoint, verification, unsigned, copies, keys, logId } = chain;
  return (
    <section>
      <dl class="summary">
        <dt>Last verification</dt>
        <dd>
          {verification === null ? (
            'none since the daemon started'
          ) : (
            <span role="status">
              <Mark
                tone={verification.result.intact ? 'good' : 'bad'}
                word={verification.result.intact ? 'intact' : 'NOT intact'}
              />{' '}
              <Time at={verification.at} isAge />
              {`, ${plural(verification.result.events, 'event')}`}
              {!verification.result.intact && (
                <>
                  : <Visible text={verification.result.message} />
                </>
              )}
            </span>
          )}
        </dd>
        <dt>Log</dt>
        <dd>
          <code>{logId}</code>
          {createdAt !== null && (
            <>
              , since <Time at={createdAt} />
            </>
          )}
          {last !== null && `, up to event ${countText(last.sequence)}`}
        </dd>
        <dt>Signed</dt>
        <dd>
          {checkpoint === null ? (
            'no checkpoint yet'
          ) : (
            <>
              up to event {countText(checkpoint.sequence)}, <Time at={checkpoint.time} isAge />
            </>
          )}
          {unsigned > 0 &&
            `; ${plural(unsigned, checkpoint === null ? 'event' : 'later event')} will be signed with the next checkpoint`}
        </dd>
        <dt>Copies of checkpoints</dt>
        <dd>
          {copies === null ? (
            'none. Without copies, an attacker who controls this machine can rewrite the log unnoticed. Set audit.checkpoints.'
          ) : (
            <Visible text={'file' in copies ? copies.file : `the program ${copies.program}`} />
          )}
        </dd>
        <dt>Signing keys</dt>
        <dd>
          {keys.map(({ keyId, since }) => (
            <div>
              <code>{keyId}</code>
              {since !== null && ` from event ${countText(since)} on`}
            </div>
          ))}
        </dd>
      </dl>
      <button type="button" class="primary" disabled={isBusy} onClick={() => void verify()}>
        {isBusy ? 'Verifying…' : 'Verify the whole log now'}
      </button>
      {error !== undefined && <Failure error={error} />}
    </section>
  );
}
