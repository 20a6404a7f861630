import type { CallRecord } from '@ambit/client';
import { useRoute } from 'preact-iso';
import { bytesText, countText, plural, shortDigest } from '../../format/units.ts';
import { tookText, whyText } from '../../part/ended.ts';
import { useLoaded } from '../../part/loaded.ts';
import { OutcomeMark } from '../../part/outcome.tsx';
import { Page } from '../../part/page.tsx';
import { Shown } from '../../part/shown.tsx';
import { Time } from '../../part/time.tsx';
import { Visible } from '../../part/visible.tsx';
import { runsPath, skillPath, workspacePath } from '../../paths.ts';
import { Advice } from '../../result/advice.tsx';
import { Payload } from '../../result/payload.tsx';
import { useLive } from '../../session/live.ts';
import { client, isReadOnly, session } from '../../session/session.ts';
import { UnlessReadOnly } from '../../session/unless-read-only.tsx';
import { Capabilities } from './capabilities.tsx';
import { HeldResult } from './held-result.tsx';
import { LimitBars } from './limit-bars.tsx';
import { LiveOutput } from './live-output.tsx';
import { ReceiptCheck } from './receipt-check.tsx';
import { RunActions } from './run-actions.tsx';
import { RunTimeline } from './run-timeline.tsx';

/** One call: what it did, what it was allowed, and the proof. */
export function RunView() {
  const id = useRoute().params['id'] ?? '';
  const record = useLoaded(`run ${id}`, (signal) => client.audit.record(id, { signal }));
  const isRunning = record.value?.outcome === 'running';
  useLive(() => {
    if (record.value === undefined || isRunning) record.reload();
  });
  const skill = record.value?.skill?.id;
  const name = skill === undefined ? (record.value?.request ?? 'Run') : `Run of ${skill}`;
  return (
    <Page title={name}>
      <Shown loaded={record}>
        {(value) => (
          <>
            <Summary record={value} />
            {!isReadOnly(session.value) && <RunActions record={value} />}
            {value.error !== null && (
              <section class="failure">
                <h2>Refused: {value.error.code}</h2>
                <p>
                  <Visible text={value.error.message} />
                </p>
              </section>
            )}
            <Advice
              skill={value.skill?.id ?? ''}
              remedy={value.remedy}
              missingPrograms={value.missingPrograms}
            />
            {value.skill !== null && <Capabilities record={value} />}
            <RunTimeline record={value} />
            {value.limits !== null && <LimitBars record={value} />}
            {isRunning && (
              <UnlessReadOnly title="Output so far" cannot="follow running calls">
                <LiveOutput executionId={id} />
              </UnlessReadOnly>
            )}
            {value.usage !== null && (
              <UnlessReadOnly title="Result" cannot="see results of calls">
                <HeldResult record={value} />
              </UnlessReadOnly>
            )}
            <Stored record={value} />
            {value.skill !== null && value.endedAt !== null && <ReceiptCheck executionId={id} />}
          </>
        )}
      </Shown>
    </Page>
  );
}

function Summary({ record }: { record: CallRecord }) {
  const { outcome, startedAt, endedAt, actor, via, skill, workspace, parentId, executionId } = record;
  const { node, sequence } = record;
  const why = whyText(record);
  return (
    <dl class="summary">
      <dt>Outcome</dt>
      <dd>
        <OutcomeMark outcome={outcome} />
        {why !== '' && (
          <>
            {': '}
            <Visible text={why} />
          </>
        )}
      </dd>
      <dt>Started</dt>
      <dd>
        <Time at={startedAt} />
        {endedAt !== null && `, took ${tookText(record)}`}
      </dd>
      <dt>Key</dt>
      <dd>
        {actor === null ? 'none' : <a href={runsPath({ actor })}>{<Visible text={actor} />}</a>} via {via}
      </dd>
      {skill !== null && (
        <>
          <dt>Skill</dt>
          <dd>
            <a href={skillPath(skill.id)}>
              <Visible text={skill.id} />
            </a>
            {'digest' in skill && (
              <>
                {`, ${skill.tier}, `}
                <code title={skill.digest}>{shortDigest(skill.digest)}</code>
              </>
            )}
          </dd>
        </>
      )}
      {workspace !== undefined && (
        <>
          <dt>Workspace</dt>
          <dd>
            <a href={workspacePath(workspace.id)}>
              <code>{workspace.id}</code>
            </a>
          </dd>
        </>
      )}
      {parentId !== undefined && (
        <>
          <dt>Part of</dt>
          <dd>
            a chain or batch: <a href={runsPath({ parentId })}>all its runs</a>
          </dd>
        </>
      )}
      {node !== undefined && (
        <>
          <dt>Node</dt>
          <dd>
            <a href={runsPath({ node })}>{node}</a>
          </dd>
        </>
      )}
      <dt>Record</dt>
      <dd>
        <code>{executionId}</code>, event {countText(sequence)} of the log
      </dd>
    </dl>
  );
}

function Stored({ record: { stored, input, output } }: { record: CallRecord }) {
  return (
    <section>
      <h2>Stored input and output</h2>
      {(
        [
          ['Input', stored.input, input],
          ['Output', stored.output, output],
        ] as const
      ).map(([label, text, digest]) => (
        <>
          <h3>{label}</h3>
          {text === undefined ? (
            <p>
              {digest === null ? 'None.' : 'Only its digest is stored. To store more, set audit.payloads.'}
            </p>
          ) : (
            <>
              <Payload {...text} label={label} />
              {text.isCut && (
                <p>
                  Only the first {plural(text.text.length, 'character')} are stored. To store more, set
                  audit.payloads.
                </p>
              )}
            </>
          )}
          {digest !== null && (
            <p class="quiet">
              {bytesText(digest.bytes)}, <code title={digest.digest}>{shortDigest(digest.digest)}</code>
            </p>
          )}
        </>
      ))}
    </section>
  );
}
