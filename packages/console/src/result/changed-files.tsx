import type { FileChange } from '@ambit/client';
import { bytesText } from '../format/units.ts';
import { visibleText } from '../format/visible.ts';
import { Diff } from '../part/diff.tsx';
import { Visible } from '../part/visible.tsx';
import { workspacePath } from '../paths.ts';
import { save } from '../session/download.ts';
import { Bytes } from './bytes.tsx';

/** The files that a run changed, with their new contents. `workspace` is the one that stores them; absent: none does. */
export function ChangedFiles({
  files,
  workspace,
}: {
  files: readonly FileChange[];
  workspace?: string | undefined;
}) {
  if (files.length === 0) return <p>It changed no files.</p>;
  return (
    <>
      {files.map((file) => (
        <details key={file.path}>
          <summary>
            <Visible text={file.path} /> ({summaryOf(file)})
          </summary>
          <Content file={file} workspace={workspace} />
        </details>
      ))}
      {workspace !== undefined && (
        <p>
          <a href={workspacePath(workspace)}>Open the workspace</a>, which has the files.
        </p>
      )}
    </>
  );
}

function Content({ file, workspace }: { file: FileChange; workspace: string | undefined }) {
  const { path, change, text, base64, omitted, link, folder } = file;
  if (text !== undefined)
    return (
      <>
        <Diff text={text.replace(/^/gm, '+')} label={`New content of ${path}`} />
        <button
          type="button"
          onClick={() => save(new Blob([text]), visibleText(path.split('/').at(-1) ?? path))}
        >
          Save
        </button>
      </>
    );
  if (base64 !== undefined) return <Bytes base64={base64} name={path} />;
  if (omitted !== undefined)
    return (
      <p>
        <Visible text={omitted} />
      </p>
    );
  if (link !== undefined)
    return (
      <p>
        A link to <Visible text={link} />.
      </p>
    );
  if (folder === true) return <p>An empty folder.</p>;
  if (change === 'deleted') return <p>The run deleted it.</p>;
  return <p>{workspace === undefined ? 'Its content is not stored.' : 'The workspace has its content.'}</p>;
}

function summaryOf({ change, bytes, executable, redacted, link, folder }: FileChange): string {
  const isFile = change !== 'deleted' && link === undefined && folder === undefined;
  const notes: string[] = [change];
  if (isFile) notes.push(bytesText(bytes));
  if (executable === true) notes.push('executable');
  if (redacted === true) notes.push('a secret is redacted');
  return notes.join(', ');
}
