import type { SignedReceipt } from '@ambit/client';
import { useState } from 'preact/hooks';
import { Mark } from '../../part/outcome.tsx';
import { Failure } from '../../part/shown.tsx';
import { save } from '../../session/download.ts';
import { client } from '../../session/session.ts';
import { type ReceiptVerdict, verifyReceipt } from './verify-receipt.ts';

/** Fetches the signed receipt, verifies it in the browser, and offers it as a file. */
export function ReceiptCheck({ executionId }: { executionId: string }) {
  const [ownKey, setOwnKey] = useState('');
  const [state, setState] = useState<{ receipt: SignedReceipt; verdict: ReceiptVerdict }>();
  const [error, setError] = useState<unknown>();
  const check = async (): Promise<void> => {
    setError(undefined);
    const receipt = await client.audit.receipt(executionId);
    setState({ receipt, verdict: await verifyReceipt(receipt, ownKey) });
  };
  return (
    <section>
      <h2>Receipt</h2>
      <p>
        A receipt shows what this call did, and proves it to people who cannot read the log. This page
        verifies its signature itself.
      </p>
      <label>
        Your copy of audit-key.pub (optional; without it, this page uses the key that the daemon names)
        <textarea rows={3} value={ownKey} onInput={(event) => setOwnKey(event.currentTarget.value)} />
      </label>
      <div class="buttons">
        <button type="button" onClick={() => void check().catch(setError)}>
          Verify the receipt
        </button>
        {state !== undefined && (
          <button
            type="button"
            onClick={() =>
              save(new Blob([JSON.stringify(state.receipt, null, 2)]), `receipt-${executionId}.json`)
            }
          >
            Save the receipt
          </button>
        )}
      </div>
      <div role="status">
        {state !== undefined && (
          <p>
            <Mark tone={state.verdict.isValid ? 'good' : 'bad'} word={state.verdict.sentence} />
          </p>
        )}
      </div>
      {error !== undefined && <Failure error={error} />}
    </section>
  );
}
