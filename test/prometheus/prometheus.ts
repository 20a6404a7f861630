import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../support/free-port.ts';
import { withinAMinute } from '../support/within-a-minute.ts';

/** A Prometheus server on loopback. */
export interface Prometheus {
  /** The series of an instant query. */
  query(expression: string): Promise<{ labels: Record<string, string>; value: number }[]>;
  /** The state of each alert rule, by name. */
  alerts(): Promise<Map<string, { health: string; state: string; lastError: string | undefined }>>;
  stop(): Promise<void>;
}

/** Starts Prometheus with a scrape configuration and alert rules; its files are in `folder`. */
export async function startPrometheus(
  folder: string,
  { scrapeConfig, rules }: { scrapeConfig: string; rules: string },
): Promise<Prometheus> {
  const [file, port] = [join(folder, 'prometheus.yml'), await freePort()];
  await writeFile(join(folder, 'alerts.yml'), rules);
  const global = 'global: { scrape_interval: 1s, evaluation_interval: 1s }\nrule_files: [alerts.yml]\n';
  await writeFile(file, `${global}${scrapeConfig}`);
  const child = spawn(
    'prometheus',
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, 'tsdb')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  const ended = once(child, 'exit');
  let isGone = false;
  void ended.then(() => {
    isGone = true;
  });
  const url = `http://127.0.0.1:${port}`;
  await withinAMinute('Prometheus is ready', async () => {
    if (isGone) throw new Error('Prometheus ended before it was ready');
    return fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  });

  // biome-ignore lint/suspicious/noExplicitAny: the answers of Prometheus's API
  const read = async (path: string): Promise<any> => {
    const answer = await fetch(`${url}/api/v1/${path}`);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return ((await answer.json()) as { data: unknown }).data;
  };
  return {
    async query(expression) {
      const { result } = await read(`query?query=${encodeURIComponent(expression)}`);
      return result.map(({ metric, value }: { metric: Record<string, string>; value: [number, string] }) => ({
        labels: metric,
        value: Number(value[1]),
      }));
    },
    async alerts() {
      const { groups } = await read('rules?type=alert');
      return new Map(
        groups
          .flatMap(({ rules: all }: { rules: object[] }) => all)
          .map((rule: { name: string; health: string; state: string; lastError?: string }) => [
            rule.name,
            { health: rule.health, state: rule.state, lastError: rule.lastError },
          ]),
      );
    },
    async stop() {
      child.kill();
      await ended;
    },
  };
}
