import type { CallRecord } from '@ambit/client';
import { useLocation } from 'preact-iso';
import { skillPath } from '../../paths.ts';
import { client } from '../../session/session.ts';
import { useTask } from '../../session/task.tsx';

/** Cancel a running call; run its skill again. */
export function RunActions({ record }: { record: CallRecord }) {
  const { route } = useLocation();
  const { start, isBusy, shown } = useTask();
  const { skill, outcome, executionId } = record;
  return (
    <>
      <div class="buttons">
        {outcome === 'running' && (
          <button
            type="button"
            disabled={isBusy}
            onClick={() =>
              start({
                what: 'Canceling',
                asks: { title: 'Cancel this run', action: 'Cancel the run' },
                async act(signal) {
                  await client.cancel(executionId, { signal });
                },
              })
            }
          >
            Cancel this run
          </button>
        )}
        {skill !== null && 'digest' in skill && (
          <button type="button" onClick={() => route(`${skillPath(skill.id)}?again=${executionId}`)}>
            Run again…
          </button>
        )}
      </div>
      {shown}
    </>
  );
}
