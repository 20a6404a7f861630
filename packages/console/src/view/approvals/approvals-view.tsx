import { shortDigest } from '../../format/units.ts';
import { useLoaded } from '../../part/loaded.ts';
import { Mark } from '../../part/outcome.tsx';
import { Page } from '../../part/page.tsx';
import { Empty, Shown } from '../../part/shown.tsx';
import { Table } from '../../part/table.tsx';
import { Visible } from '../../part/visible.tsx';
import { reviewPath } from '../../paths.ts';
import { useLive } from '../../session/live.ts';
import { EventList } from '../audit/event-list.tsx';
import { waitingApprovals } from './waiting.tsx';

const decisionKinds = [
  'skill.approved',
  'skill.revoked',
  'skill.restored',
  'skill.installed',
  'skill.removed',
  'skill.expired',
  'install.refused',
];

/** The reasons why a skill waits. */
const stateWords: Readonly<Record<string, string>> = {
  waiting: 'update waits',
  unapproved: 'never approved',
  expired: 'approval expired',
};

/** Installed skills that wait for a decision, and the decisions so far. */
export function ApprovalsView() {
  const waiting = useLoaded('approvals', waitingApprovals);
  useLive(waiting.reload);
  return (
    <Page
      title="Approvals"
      lead="Programs of an installed skill run only after you approve that exact version."
    >
      <Shown loaded={waiting}>
        {(skills) =>
          skills.length === 0 ? (
            <Empty>
              Nothing waits for you. Skills that you install with <code>ambit skills add</code>, and their
              later versions, appear here.
            </Empty>
          ) : (
            <Table
              columns={['Skill', 'State', 'Source', 'Publisher', 'Findings']}
              rows={skills.map(({ id, state, source, publisher, findings, waiting: later, digest }) => ({
                key: id,
                cells: [
                  <>
                    <a href={reviewPath(id)}>
                      <Visible text={id} />
                    </a>{' '}
                    <code title={later ?? digest}>{shortDigest(later ?? digest)}</code>
                  </>,
                  <Mark tone="live" word={stateWords[state] ?? state} />,
                  <Visible text={source} />,
                  publisher === null ? 'unsigned' : <Visible text={publisher} />,
                  findingsText(findings),
                ],
              }))}
            />
          )
        }
      </Shown>
      <h2>History</h2>
      <EventList kinds={decisionKinds} empty="No skill has been installed yet." />
    </Page>
  );
}

function findingsText(findings: Readonly<Record<string, number>>): string {
  const found = Object.entries(findings).filter(([, count]) => count > 0);
  return found.length === 0 ? 'none' : found.map(([severity, count]) => `${count} ${severity}`).join(', ');
}
