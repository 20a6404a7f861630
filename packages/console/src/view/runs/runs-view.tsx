import type { AuditFilter, CallRecord } from '@ambit/client';
import { useLocation } from 'preact-iso';
import { plural } from '../../format/units.ts';
import { visibleText } from '../../format/visible.ts';
import { useLoaded } from '../../part/loaded.ts';
import { Page } from '../../part/page.tsx';
import { Empty, Shown } from '../../part/shown.tsx';
import { runsPath } from '../../paths.ts';
import { useLive } from '../../session/live.ts';
import { client } from '../../session/session.ts';
import { ExportRuns } from './export-runs.tsx';
import { type Filters, filterNames, RunFilters } from './run-filters.tsx';
import { RunTable } from './run-table.tsx';
import { Scatter } from './scatter.tsx';

const pageSize = 100;

/** The calls in the log. The address has the filters of `GET /audit`, so a view can be shared. */
export function RunsView() {
  const { query, route } = useLocation();
  const filters: Filters = Object.fromEntries(
    filterNames.flatMap((name) => (query[name] ? [[name, query[name]]] : [])),
  );
  const before = query['before'];
  const key = JSON.stringify([filters, before]);
  const page = useLoaded(`runs ${key}`, async (signal) => {
    const [records, count] = await Promise.all([
      client.audit.page(
        { ...queryOf(filters), limit: pageSize, before: before ? Number(before) : undefined },
        { signal },
      ),
      client.audit.count(queryOf(filters), { signal }),
    ]);
    return { ...records, count };
  });
  useLive(() => {
    // An older page does not change.
    if (before === undefined) page.reload();
  });
  const show = (changed: Record<string, string | undefined>): void =>
    route(runsPath({ ...filters, ...changed }));
  return (
    <Page title="Runs" lead="Every call and every refused request in the audit log, newest first.">
      <RunFilters key={key} filters={filters} known={knownIn(page.value?.records ?? [])} show={show} />
      <Shown loaded={page}>
        {({ records, next, partial, count }) =>
          records.length === 0 && before === undefined ? (
            <Empty>
              {Object.keys(filters).length > 0
                ? 'No run matches these filters. Write the names of skills and keys in full.'
                : 'Nothing has run yet. Call a skill, for example with ambit run: its run appears here.'}
            </Empty>
          ) : (
            <>
              <p class="count">
                {plural(count, 'matching run')}. <ExportRuns filters={filters} />
              </p>
              <Scatter records={records} choose={(since, until) => show({ since, until })} />
              <RunTable records={records} />
              {partial && <p>The search took too long and stopped early. “Older” continues it.</p>}
              <nav class="pages" aria-label="Pages">
                {before !== undefined && <a href={runsPath(filters)}>Newest</a>}
                {next !== null && <a href={runsPath({ ...filters, before: String(next) })}>Older</a>}
              </nav>
            </>
          )
        }
      </Shown>
    </Page>
  );
}

function knownIn(records: readonly CallRecord[]) {
  return {
    skill: suggestions(records.map(({ skill }) => skill?.id)),
    actor: suggestions(records.map(({ actor }) => actor)),
  };
}

/** A suggestion cannot show hidden characters. */
function suggestions(names: readonly (string | null | undefined)[]): string[] {
  return [...new Set(names.flatMap((name) => name ?? []))]
    .filter((name) => visibleText(name) === name)
    .sort();
}

/** The daemon refuses a value that it does not know, and says which it knows. */
function queryOf(filters: Filters): AuditFilter {
  return filters as AuditFilter;
}
