import { useEffect, useState } from 'preact/hooks';
import { Failure } from '../../part/shown.tsx';
import { Block, Visible } from '../../part/visible.tsx';
import { client } from '../../session/session.ts';

/** The number of shown characters of the output that arrives. */
const charactersMax = 100_000;

/** The output of a running call, as it arrives. */
export function LiveOutput({ executionId }: { executionId: string }) {
  const [text, setText] = useState('');
  const [progress, setProgress] = useState<{ done: number; total?: number; message?: string }>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const ended = new AbortController();
    const read = async (): Promise<void> => {
      for await (const event of client.watch(executionId, { signal: ended.signal })) {
        if (event.kind === 'progress') setProgress(event);
        if (event.kind === 'stdout' || event.kind === 'stderr' || event.kind === 'log')
          setText((before) => (before + event.text).slice(-charactersMax));
        if (event.kind === 'gap') setText((before) => `${before}\n[${event.events} events were dropped]\n`);
      }
    };
    read().catch((failure: unknown) => {
      // A refusal is the end of the call: the record has it.
      if (!ended.signal.aborted && (failure as Error).name !== 'AmbitProblem') setError(failure);
    });
    return () => ended.abort();
  }, [executionId]);
  return (
    <section>
      <h2>Output so far</h2>
      {progress !== undefined && (
        <p>
          <progress value={progress.done} max={progress.total ?? 0} aria-label="Progress" /> {progress.done}
          {progress.total !== undefined && ` of ${progress.total}`} <Visible text={progress.message ?? ''} />
        </p>
      )}
      {text === '' ? <p>None yet.</p> : <Block text={text} label="Output so far" />}
      {error !== undefined && <Failure error={error} />}
    </section>
  );
}
