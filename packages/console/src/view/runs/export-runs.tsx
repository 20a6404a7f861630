import { useState } from 'preact/hooks';
import { Failure } from '../../part/shown.tsx';
import { download } from '../../session/download.ts';
import type { Filters } from './run-filters.tsx';

/** Saves every run that matches, not only those on this page. */
export function ExportRuns({ filters }: { filters: Filters }) {
  const [error, setError] = useState<unknown>();
  const save = (format: 'csv' | 'ndjson') => (): void => {
    const query = new URLSearchParams({ ...filters, format });
    download(`/audit/export?${query}`, `runs.${format}`).then(() => setError(undefined), setError);
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
