import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repository } from '../support/daemon-process.ts';

/** The queries of all panels of the dashboard, with values for Grafana's variables. */
export async function dashboardQueries(): Promise<string[]> {
  const { panels } = JSON.parse(await readFile(join(repository, 'packaging/grafana/ambit.json'), 'utf8')) as {
    panels: { targets?: { expr: string }[] }[];
  };
  return panels.flatMap(({ targets = [] }) =>
    targets.map(({ expr }) =>
      expr.replaceAll('$job', 'ambit').replaceAll('$instance', '.*').replaceAll('$__rate_interval', '1m'),
    ),
  );
}
