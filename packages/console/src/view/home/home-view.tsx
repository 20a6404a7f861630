import type { InstalledSkill } from '@ambit/client';
import { useContext } from 'preact/hooks';
import { countText, plural } from '../../format/units.ts';
import { useLoaded } from '../../part/loaded.ts';
import { Mark } from '../../part/outcome.tsx';
import { Page } from '../../part/page.tsx';
import { Empty, Shown } from '../../part/shown.tsx';
import { Time } from '../../part/time.tsx';
import { Visible } from '../../part/visible.tsx';
import { paths, runsPath, skillPath } from '../../paths.ts';
import { useLive } from '../../session/live.ts';
import { client } from '../../session/session.ts';
import { Waiting } from '../approvals/waiting.tsx';
import { RunTable } from '../runs/run-table.tsx';
import { Scatter } from '../runs/scatter.tsx';
import { readiness } from './readiness.ts';

/** The overview for an operator. */
export function HomeView() {
  return (
    <Page
      title="Home"
      lead="Ambit runs the skills of your agents in a sandbox, with only the capabilities that you grant, and records every call. This page shows what needs your attention."
    >
      <div class="cards-grid">
        <Readiness />
        <Log />
        <Approvals />
        <LastHour />
        <RefusedMost />
        <Broken />
      </div>
      <Recent />
    </Page>
  );
}

function Readiness() {
  const ready = useLoaded('ready', readiness);
  useLive(ready.reload);
  return (
    <section class="card">
      <h2>Daemon</h2>
      <Shown loaded={ready}>
        {({ isReady, checks }) => (
          <>
            <p>
              <Mark tone={isReady ? 'good' : 'bad'} word={isReady ? 'accepts calls' : 'refuses calls'} />
            </p>
            <ul>
              {Object.entries(checks).map(([part, state]) => (
                <li>
                  {part}:{' '}
                  <Mark tone={state === 'ok' ? 'good' : state === 'low' ? 'quiet' : 'bad'} word={state} />
                </li>
              ))}
            </ul>
          </>
        )}
      </Shown>
    </section>
  );
}

function Log() {
  const chain = useLoaded('chain', (signal) => client.audit.chain({ signal }));
  return (
    <section class="card">
      <h2>Audit log</h2>
      <Shown loaded={chain}>
        {({ verification, last }) => (
          <>
            <p>
              {verification === null ? (
                <Mark tone="quiet" word="not verified since the daemon started" />
              ) : (
                <>
                  <Mark
                    tone={verification.result.intact ? 'good' : 'bad'}
                    word={verification.result.intact ? 'intact' : 'NOT intact'}
                  />
                  {', verified '}
                  <Time at={verification.at} isAge />
                </>
              )}
            </p>
            <p>{last === null ? 'It has no events.' : `It ends with event ${last.sequence}.`}</p>
            <a href={paths.audit}>Verify the log</a>
          </>
        )}
      </Shown>
    </section>
  );
}

function Approvals() {
  const waiting = useContext(Waiting);
  return (
    <section class="card">
      <h2>Approvals</h2>
      <Shown loaded={waiting}>
        {(skills) =>
          skills.length === 0 ? (
            <Empty>Nothing waits for you.</Empty>
          ) : (
            <p>
              <a href={paths.approvals}>{waitingText(skills)}</a>
            </p>
          )
        }
      </Shown>
    </section>
  );
}

/** `1 update and 4 other skills to decide about`. */
function waitingText(skills: readonly InstalledSkill[]): string {
  const updates = skills.filter(({ state }) => state === 'waiting').length;
  const others = skills.length - updates;
  const parts: string[] = [];
  if (updates > 0) parts.push(plural(updates, 'update'));
  if (others > 0) parts.push(plural(others, updates > 0 ? 'other skill' : 'skill'));
  return `${parts.join(' and ')} to decide about`;
}

function LastHour() {
  const hour = useLoaded('hour', (signal) => client.audit.stats({ since: '1h' }, { signal }));
  useLive(hour.reload);
  return (
    <section class="card">
      <h2>Last hour</h2>
      <Shown loaded={hour}>
        {({ all }) => (
          <ul>
            <li>
              <a href={runsPath({ since: '1h' })}>{plural(all.calls, 'call')}</a>
            </li>
            <li>
              <a href={runsPath({ outcome: 'denied', since: '1h' })}>
                {countText(all.denied)} of them refused
              </a>
            </li>
            <li>
              <a href={runsPath({ outcome: 'unsuccessful', since: '1h' })}>
                {countText(all.errors)} of them failed
              </a>
            </li>
          </ul>
        )}
      </Shown>
    </section>
  );
}

function RefusedMost() {
  const day = useLoaded('day', (signal) => client.audit.stats({ since: '24h' }, { signal }));
  useLive(day.reload);
  return (
    <section class="card">
      <h2>Most refused, last 24 hours</h2>
      <Shown loaded={day}>
        {({ bySkill }) => {
          const refused = bySkill.filter(({ denied }) => denied > 0).sort((a, b) => b.denied - a.denied);
          if (refused.length === 0) return <Empty>No call was refused.</Empty>;
          return (
            <ol>
              {refused.slice(0, 5).map(({ skill, denied }) => (
                <li>
                  <a href={runsPath({ skill, outcome: 'denied', since: '24h' })}>
                    <Visible text={skill} />
                  </a>
                  : {plural(denied, 'time')}
                </li>
              ))}
            </ol>
          );
        }}
      </Shown>
    </section>
  );
}

function Broken() {
  const skills = useLoaded('broken', (signal) => client.skills({ limit: 1 }, { signal }));
  return (
    <section class="card">
      <h2>Broken skills</h2>
      <Shown loaded={skills}>
        {({ broken, brokenCount }) =>
          brokenCount === 0 ? (
            <Empty>No skill folder is broken.</Empty>
          ) : (
            <>
              <p>{plural(brokenCount, 'folder')} cannot be used.</p>
              <ul>
                {broken.slice(0, 3).map(({ id, problem }) => (
                  <li>
                    <a href={`${paths.catalog}#broken`}>
                      <Visible text={id} />
                    </a>
                    : <Visible text={problem.slice(0, 200)} />
                  </li>
                ))}
              </ul>
            </>
          )
        }
      </Shown>
    </section>
  );
}

function Recent() {
  const recent = useLoaded('recent', (signal) => client.audit.page({ limit: 100 }, { signal }));
  useLive(recent.reload);
  return (
    <section>
      <h2>Recent runs</h2>
      <Shown loaded={recent}>
        {({ records }) =>
          records.length === 0 ? (
            <Empty>
              Nothing has run yet. Run a skill with <code>ambit run csv-profile</code>, or try one in the{' '}
              <a href={skillPath('csv-profile')}>catalog</a>.
            </Empty>
          ) : (
            <>
              <Scatter records={records} />
              <RunTable records={records.slice(0, 10)} />
              <p>
                <a href={paths.runs}>All runs</a>
              </p>
            </>
          )
        }
      </Shown>
    </section>
  );
}
