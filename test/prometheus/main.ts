/**
 * The metrics of a real daemon, its documented scrape configuration and alert rules, and the queries of its dashboard, with the
 * Prometheus of this machine: `npm run test:all -- prometheus`.
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ambit, type Daemon, daemonProcess, repository } from '../support/daemon-process.ts';
import { pythonSkill, writeSkills } from '../support/skills.ts';
import { withinAMinute } from '../support/within-a-minute.ts';
import { alertCases, ruleTests } from './alert-cases.ts';
import { dashboardQueries } from './dashboard-queries.ts';
import { alertNames, countersOf, documentedAlerts } from './documented-alerts.ts';
import { type Prometheus, startPrometheus } from './prometheus.ts';

const rules = await documentedAlerts();
const folder = await mkdtemp(join(tmpdir(), 'ambit-prometheus-'));
const skills = join(folder, 'skills');
await writeSkills(skills, { sleeper: pythonSkill('time.sleep(600)') });
const daemon = await daemonProcess(folder, {
  skills: [{ path: skills, tier: 'local' }],
  limits: { concurrency: 1, queue: 1, timeoutMs: 600_000 },
});
const callers = new AbortController();
let prometheus: Prometheus | undefined;
try {
  await checkRules();
  const keyFile = await scraperKey(daemon);
  const key = (await readFile(keyFile, 'utf8')).trim();
  await checkMetrics(key);
  const scrapeConfig = (await documentedScrapeConfig())
    .replace('/etc/prometheus/ambit.key', keyFile)
    .replace('127.0.0.1:7433', new URL(daemon.url).host);
  // Alerts that wait for minutes wait for seconds here.
  prometheus = await startPrometheus(folder, {
    scrapeConfig,
    rules: rules.replaceAll(/for: \w+/g, 'for: 2s'),
  });
  await checkQuiet(prometheus, key);
  await checkFiring(prometheus);
  console.log('passed');
} finally {
  callers.abort();
  await prometheus?.stop();
  await daemon.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Each documented rule fires and stays quiet when it should, by `promtool test rules`. */
async function checkRules(): Promise<void> {
  equal('alerts with cases', Object.keys(alertCases), alertNames(rules));
  await writeFile(join(folder, 'documented.yml'), rules);
  await writeFile(join(folder, 'tests.yml'), ruleTests('documented.yml'));
  promtool(['check', 'rules', join(folder, 'documented.yml')]);
  promtool(['test', 'rules', join(folder, 'tests.yml')]);
}

async function checkMetrics(key: string): Promise<void> {
  await scraped(key, 'application/openmetrics-text');
  const said = promtool(['check', 'metrics'], await scraped(key, 'text/plain'));
  equal('complaints of promtool check metrics', said, '');
}

/** Prometheus scrapes OpenMetrics and another scraper plain text; every series stays, and no alert fires. */
async function checkQuiet({ query, alerts }: Prometheus, key: string): Promise<void> {
  const counters = async (): Promise<string[]> =>
    (await scraped(key, 'text/plain')).split('\n').filter((line) => /^# TYPE \w+ counter$/.test(line));
  const all = await counters();
  await withinAMinute('Prometheus has scraped four times', async () => {
    equal('counters in plain text', await counters(), all);
    const [scrapes] = await query('count_over_time(up{job="ambit"}[5m])');
    return (scrapes?.value ?? 0) >= 4;
  });
  for (const counter of countersOf(rules))
    if ((await query(counter)).length === 0) throw new Error(`Prometheus has no series ${counter}`);
  // Rejects for a query that Prometheus cannot parse.
  for (const panel of await dashboardQueries()) await query(panel);
  await withinAMinute('every rule was evaluated', async () =>
    [...(await alerts()).values()].every(({ health }) => health === 'ok'),
  );
  const known = await alerts();
  equal('rules', [...known.keys()], alertNames(rules));
  equal('alerts of an idle daemon', firing(known), []);
  console.log(`quiet: ${known.size} rules, none fires`);
}

/** Alerts on a counter, a gauge and the daemon's absence fire in Prometheus. */
async function checkFiring({ alerts }: Prometheus): Promise<void> {
  const sleep = (): Promise<unknown> =>
    daemon
      .request('POST', '/skills/sleeper/execute', { body: { input: {} }, signal: callers.signal })
      .catch(() => undefined);
  // One call runs, one waits, and the others are refused.
  for (let call = 0; call < 4; call++) void sleep();
  for (let attempt = 0; attempt < 600; attempt++)
    await daemon.request('GET', '/skills', { headers: { authorization: 'Bearer ambit_wrong' } });
  const provoked = ['AmbitCallsWaiting', 'AmbitKeysGuessed', 'AmbitOverloaded'];
  await withinAMinute(`${provoked.join(', ')} fire`, async () => {
    const names = firing(await alerts());
    return provoked.every((name) => names.includes(name));
  });
  equal('alerts of a busy daemon', firing(await alerts()), provoked);
  await daemon.stop();
  await withinAMinute('AmbitDown fires', async () => firing(await alerts()).includes('AmbitDown'));
  console.log(`fired: ${provoked.join(', ')}, AmbitDown`);
}

function firing(alerts: Awaited<ReturnType<Prometheus['alerts']>>): string[] {
  return [...alerts]
    .filter(([, { state }]) => state === 'firing')
    .map(([name]) => name)
    .sort();
}

async function scraperKey({ dataDir }: Daemon): Promise<string> {
  const { stdout } = await ambit(['key', 'create', 'prometheus', '--scope=metrics', '--data-dir', dataDir]);
  const file = join(folder, 'scraper.key');
  await writeFile(file, stdout, { mode: 0o600 });
  return file;
}

async function documentedScrapeConfig(): Promise<string> {
  const page = await readFile(join(repository, 'docs/operations.md'), 'utf8');
  const config = /^```yaml\n(scrape_configs:\n[\s\S]*?)^```$/m.exec(page)?.[1];
  if (config === undefined) throw new Error('docs/operations.md has no scrape configuration');
  return config;
}

async function scraped(key: string, accept: string): Promise<string> {
  const answer = await fetch(`${daemon.url}/metrics`, {
    headers: { authorization: `Bearer ${key}`, accept },
  });
  if (!answer.ok) throw new Error(`GET /metrics: ${answer.status}`);
  return answer.text();
}

/** Runs promtool, which must succeed. Returns its complaints. */
function promtool(args: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  if (status !== 0) throw new Error(`promtool ${args.join(' ')} failed:\n${stdout}${stderr}`);
  console.log(`promtool ${args.slice(0, 2).join(' ')}: passed`);
  return stderr;
}

function equal(what: string, actual: unknown, expected: unknown): void {
  const [is, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (is !== wanted) throw new Error(`${what}: ${is} instead of ${wanted}`);
}
