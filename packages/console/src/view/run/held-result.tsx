import type { CallRecord } from '@ambit/client';
import { useLoaded } from '../../part/loaded.ts';
import { Shown } from '../../part/shown.tsx';
import { Advice } from '../../result/advice.tsx';
import { LeftOut, Result } from '../../result/result.tsx';
import { client } from '../../session/session.ts';

/** The response of a call, while the daemon stores it: all of its output, its files and its hint. The log has less. */
export function HeldResult({ record: { executionId, skill, workspace } }: { record: CallRecord }) {
  const held = useLoaded(`held ${executionId}`, async (signal) => {
    const { result } = await client.execution(executionId, { signal });
    // The response of a chain or a batch is that of all its calls.
    return result !== undefined && 'log' in result ? result : null;
  });
  return (
    <Shown loaded={held}>
      {(answer) =>
        answer === null ? (
          <section>
            <h2>Result</h2>
            <p>
              The daemon no longer stores the response, so only what the log has is shown: digests, and the
              stored part of input and output.
            </p>
            <LeftOut leftOut={workspace?.leftOut} />
          </section>
        ) : (
          <>
            <Advice skill={skill?.id ?? ''} hint={answer.hint} />
            <section>
              <h2>Result</h2>
              <Result answer={answer} />
            </section>
          </>
        )
      }
    </Shown>
  );
}
