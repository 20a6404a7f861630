import type { FileChange } from '@ambit/client';
import { bytesText } from '../../format/units.ts';
import { Diff } from '../../part/diff.tsx';
import { useLoaded } from '../../part/loaded.ts';
import { Shown } from '../../part/shown.tsx';
import { Visible } from '../../part/visible.tsx';
import { client } from '../../session/session.ts';

/** The files that a run changed, while the daemon still has its response. The log has only their digests. */
export function ChangedFiles({ executionId }: { executionId: string }) {
  const files = useLoaded(`files ${executionId}`, async (signal) => {
    const { result } = await client.execution(executionId, { signal });
    return result !== undefined && 'files' in result ? result.files : undefined;
  });
  return (
    <section>
      <h2>Changed files</h2>
      <Shown loaded={files}>
        {(changes) =>
          changes === undefined ? (
            <p>The daemon no longer stores them. The log has digests of the workspace before and after.</p>
          ) : (
            changes.map((change) => <ChangedFile key={change.path} change={change} />)
          )
        }
      </Shown>
    </section>
  );
}

function ChangedFile({
  change: { path, change, bytes, text, omitted, link, folder },
}: {
  change: FileChange;
}) {
  return (
    <details>
      <summary>
        <Visible text={path} /> ({change}, {bytesText(bytes)})
      </summary>
      {text === undefined ? (
        <p>
          <Visible
            text={
              omitted ??
              (link === undefined
                ? folder
                  ? 'An empty folder.'
                  : 'This file is not text.'
                : `A link to ${link}.`)
            }
          />
        </p>
      ) : (
        <Diff text={text.replace(/^/gm, '+')} label={`New content of ${path}`} />
      )}
    </details>
  );
}
