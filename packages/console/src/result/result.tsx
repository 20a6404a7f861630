import type { ExecuteAnswer, Outcome } from '@ambit/client';
import { Block, Visible } from '../part/visible.tsx';
import { Bytes } from './bytes.tsx';
import { ChangedFiles } from './changed-files.tsx';
import { printedIn } from './outputs-in.ts';
import { Outputs } from './payload.tsx';

/** The result of a run: its output, its log and the files that it changed. */
export function Result({ answer: { outcome, log, files, workspace } }: { answer: ExecuteAnswer }) {
  return (
    <>
      <h3>Output</h3>
      <Output outcome={outcome} />
      {log !== '' && !hasLog(outcome, log) && (
        <>
          <h3>Log</h3>
          <Block text={log} label="Log" />
        </>
      )}
      {files !== undefined && (
        <>
          <h3>Changed files</h3>
          <ChangedFiles files={files} workspace={workspace?.stored === true ? workspace.id : undefined} />
        </>
      )}
      {workspace !== undefined && <Stored workspace={workspace} />}
    </>
  );
}

/** Whether the output shows the log too: that of a command is what it wrote to stderr. */
function hasLog(outcome: Outcome, log: string): boolean {
  const printed = outcome.status === 'succeeded' ? printedIn(outcome.output) : printedIn(outcome);
  return printed?.some(({ text }) => text === log) ?? ('stderr' in outcome && outcome.stderr === log);
}

/** The output of a run, exactly: bytes are no text. */
function Output({ outcome }: { outcome: Outcome }) {
  if (outcome.status !== 'succeeded') {
    const printed = printedIn({
      stdout: 'stdout' in outcome ? outcome.stdout : '',
      stderr: 'stderr' in outcome ? outcome.stderr : '',
    });
    return printed === undefined ? <p>None.</p> : <Outputs outputs={printed} />;
  }
  const { output, encoding, notJson } = outcome;
  if (encoding === 'base64') return <Bytes base64={String(output)} name="output" />;
  const printed = printedIn(output);
  if (printed !== undefined) return <Outputs outputs={printed} />;
  if (notJson !== undefined)
    return (
      <>
        <p>
          It is text: <Visible text={notJson} />.
        </p>
        <Block text={String(output)} label="Output" />
      </>
    );
  return <Block text={JSON.stringify(output, null, 2) ?? 'null'} label="Output" />;
}

/** The changes that the workspace of a call did not store. */
function Stored({ workspace }: { workspace: NonNullable<ExecuteAnswer['workspace']> }) {
  if (!workspace.stored)
    return (
      <p class="warning">
        The workspace is unchanged: <Visible text={workspace.why} />.
      </p>
    );
  return <LeftOut leftOut={workspace.leftOut} />;
}

/** The files of a run that no workspace can store. */
export function LeftOut({
  leftOut = [],
}: {
  leftOut?: readonly { path: string; why: string }[] | undefined;
}) {
  if (leftOut.length === 0) return null;
  return (
    <div class="warning">
      The workspace stores the rest without:
      <ul>
        {leftOut.map(({ path, why }) => (
          <li>
            <Visible text={`${path}: ${why}`} />
          </li>
        ))}
      </ul>
    </div>
  );
}
