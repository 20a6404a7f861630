import type { CallRecord } from '@ambit/client';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { Failure } from '../../part/shown.tsx';
import { skillPath } from '../../paths.ts';
import { client, isUnlocked, session, unlock } from '../../session/session.ts';
import { StepUp } from '../../session/step-up.tsx';

/** Cancel a running call; run its skill again. */
export function RunActions({ record }: { record: CallRecord }) {
  const { route } = useLocation();
  const [isAsking, setAsking] = useState(false);
  const [error, setError] = useState<unknown>();
  const cancel = async (): Promise<void> => {
    await client.cancel(record.executionId);
  };
  const { skill, outcome } = record;
  return (
    <div class="buttons">
      {outcome === 'running' && (
        <button
          type="button"
          onClick={() => {
            if (isUnlocked(session.value)) cancel().catch(setError);
            else setAsking(true);
          }}
        >
          Cancel this run
        </button>
      )}
      {skill !== null && 'digest' in skill && (
        <button type="button" onClick={() => route(`${skillPath(skill.id)}?again=${record.executionId}`)}>
          Run again…
        </button>
      )}
      {isAsking && (
        <StepUp
          title="Cancel this run"
          action="Cancel the run"
          act={async (code) => {
            await unlock(code);
            await cancel();
          }}
          onClose={() => setAsking(false)}
        />
      )}
      {error !== undefined && <Failure error={error} />}
    </div>
  );
}
