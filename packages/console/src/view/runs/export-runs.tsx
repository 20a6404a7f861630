import { useState } from 'preact/hooks';
import { daemonNow } from '../../format/clock.ts';
import { Failure } from '../../part/shown.tsx';
import { download } from '../../session/download.ts';
import type { Filters } from './run-filters.tsx';

/** Saves every run that matches, not only those on this page. */
export function ExportRuns({ filters }: { filters: Filters }) {
  const [error, setError] = useState<unknown>();
  const save = (format: 'csv' | 'ndjson') => (): void => {
    const query = new URLSearchParams({ ...filters, format });
    const time = new Date(daemonNow()).toISOString().slice(0, 19).replaceAll(':', '-');
    download(`/audit/export?${query}`, `runs-${time}.${format}`).then(() => setError(undefined), setError);
  };
  return (
    <>
      <button type="button" onClick={save('csv')}>
        Export as CSV
      </button>{' '}
      <button type="button" onClick={save('ndjson')}>
        Export as JSON lines
      </button>
      {error !== undefined && <Failure error={error} />}
    </>
  );
}
