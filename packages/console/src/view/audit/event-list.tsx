import { useState } from 'preact/hooks';
import { useLoaded } from '../../part/loaded.ts';
import { Empty, Shown } from '../../part/shown.tsx';
import { Table } from '../../part/table.tsx';
import { Time } from '../../part/time.tsx';
import { Visible } from '../../part/visible.tsx';
import { useLive } from '../../session/live.ts';
import { client } from '../../session/session.ts';

const pageSize = 50;

/** Events of the log outside calls, newest first, each with its fields. */
export function EventList({ kinds, empty }: { kinds: readonly string[]; empty: string }) {
  const [before, setBefore] = useState<number>();
  const list = useLoaded(`events ${kinds} ${before}`, (signal) =>
    client.audit.events({ kind: kinds.join(','), limit: pageSize, before }, { signal }),
  );
  useLive(() => {
    if (before === undefined) list.reload();
  });
  return (
    <Shown loaded={list}>
      {({ events, next }) =>
        events.length === 0 ? (
          <Empty>{empty}</Empty>
        ) : (
          <>
            <Table
              columns={['When', 'Event', 'By', 'What', { heading: 'Sequence', is: 'number' }]}
              rows={events.map(({ sequence, event: { kind, time, actor, ...fields } }) => ({
                key: sequence,
                cells: [
                  <Time at={time} />,
                  kind,
                  typeof actor === 'string' && <Visible text={actor} />,
                  <details>
                    <summary>
                      <Visible text={headline(fields)} />
                    </summary>
                    <pre>
                      <Visible text={JSON.stringify(fields, null, 2).slice(0, 4000)} />
                    </pre>
                  </details>,
                  sequence,
                ],
              }))}
            />
            <nav class="pages" aria-label="Pages">
              {before !== undefined && (
                <button type="button" onClick={() => setBefore(undefined)}>
                  Newest
                </button>
              )}
              {next !== null && (
                <button type="button" onClick={() => setBefore(next)}>
                  Older
                </button>
              )}
            </nav>
          </>
        )
      }
    </Shown>
  );
}

const headlineFields = [
  'decision',
  'skill',
  'skillId',
  'id',
  'subject',
  'changed',
  'message',
  'code',
  'source',
  'keyId',
];

/** The field that says most, if there is one. */
function headline(fields: Readonly<Record<string, unknown>>): string {
  for (const name of headlineFields) {
    const value = fields[name];
    if (typeof value === 'string') return short(value);
    if (typeof value === 'object' && value !== null && 'id' in value) return short(String(value.id));
    if (Array.isArray(value)) return short(value.join(', '));
  }
  // A digest says nothing to a person.
  const [first] = Object.values(fields).filter(
    (value) => typeof value === 'string' && !/^\w+:[\da-f]{64}$/.test(value),
  );
  return first === undefined ? 'details' : short(String(first));
}

function short(text: string): string {
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}
