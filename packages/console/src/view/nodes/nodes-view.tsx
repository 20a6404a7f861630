import type { ClusterNodes } from '@ambit/client';
import { useEffect } from 'preact/hooks';
import { countText, durationText, plural } from '../../format/units.ts';
import { useLoaded } from '../../part/loaded.ts';
import { Mark } from '../../part/outcome.tsx';
import { Page } from '../../part/page.tsx';
import { Empty, Shown } from '../../part/shown.tsx';
import { Table } from '../../part/table.tsx';
import { Time } from '../../part/time.tsx';
import { runsPath } from '../../paths.ts';
import { live } from '../../session/live.ts';
import { client } from '../../session/session.ts';

type Node = ClusterNodes['nodes'][number];

const tones = { running: 'good', draining: 'live', stopped: 'quiet', lost: 'bad', retired: 'quiet' } as const;

const refreshMs = 5000;
/** The nodes whose calls are counted. Each is a query. */
const countedMax = 50;

/** The nodes of the cluster. Only a node shows it. */
export function NodesView() {
  const nodes = useLoaded('nodes', (signal) => client.nodes({ signal }));
  const names = nodes.value?.nodes.slice(0, countedMax).map(({ name }) => name);
  const calls = useLoaded(`calls ${names?.join(' ') ?? ''}`, async (signal) => {
    const counted = (names ?? []).map(async (node) => {
      const count = await client.audit.count({ node, since: '1h' }, { signal });
      return [node, count] as const;
    });
    return new Map(await Promise.all(counted));
  });
  useEffect(() => {
    const timer = setInterval(() => {
      if (live.peek() !== 'live') return;
      nodes.reload();
      calls.reload();
    }, refreshMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <Page
      title="Nodes"
      lead="The machines of this cluster. They share keys, skills and the log. Each call runs on the node where it arrives."
    >
      <Shown loaded={nodes}>
        {({ node: own, nodes: all }) =>
          all.length === 0 ? (
            <Empty>
              This daemon is in no cluster. <code>ambit cluster init</code> makes it the first node of one.
            </Empty>
          ) : (
            <Table
              columns={[
                'Node',
                'State',
                'Lease',
                'Calls now',
                'Calls, last hour',
                'Not yet in the database',
                'Address',
                'Version',
              ]}
              rows={all.map((node) => ({
                key: node.name,
                cells: [
                  <>
                    <a href={runsPath({ node: node.name })}>{node.name}</a>
                    {node.name === own && ' (this one)'}
                  </>,
                  <>
                    <Mark tone={tones[node.status]} word={node.status} />
                    {node.cannotReach.length > 0 && ` cannot reach ${node.cannotReach.join(', ')}`}
                  </>,
                  node.leaseUntil !== null && (
                    <>
                      until <Time at={node.leaseUntil} />
                    </>
                  ),
                  callsNow(node),
                  calls.value === undefined && calls.error === undefined ? (
                    <span class="loading">…</span>
                  ) : (
                    <a href={runsPath({ node: node.name, since: '1h' })}>
                      {callsText(calls.value?.get(node.name))}
                    </a>
                  ),
                  shippingText(node),
                  node.advertise,
                  node.version === '' ? 'not started yet' : node.version,
                ],
              }))}
            />
          )
        }
      </Shown>
    </Page>
  );
}

function callsNow({ load, status }: Node): string {
  if (load !== null) return `${countText(load.running)} running, ${countText(load.waiting)} waiting`;
  return status === 'running' || status === 'draining' ? 'no answer' : '';
}

function callsText(count: number | undefined): string {
  return count === undefined ? 'show' : countText(count);
}

/** Describes the part of its log that the copy lacks. */
function shippingText({ load }: Node): string {
  if (load === null) return '';
  if (load.unshippedEvents === 0) return 'nothing';
  return `${plural(load.unshippedEvents, 'event')}, the oldest for ${durationText(load.shippingLagMs)}`;
}
