// Threat model: T323

import { expect, test } from 'vitest';
import { withKey } from '../../../packages/server/src/testing/daemon-keys.ts';
import { otlpReceiver, type ReceivedSpan } from '../../../packages/server/src/testing/otlp-receiver.ts';
import { countersOf, documentedAlerts } from '../../prometheus/documented-alerts.ts';
import { startDaemon } from '../../support/daemon.ts';
import { type Daemon, version } from '../../support/daemon-process.ts';
import { httpClient } from '../support/mcp-client.ts';

const input = { csv: 'name\nhunter2\n' };

async function scraped(
  { url }: Daemon,
  key: string,
  headers = {},
): Promise<{ status: number; type: string | null; body: string }> {
  const response = await fetch(`${url}/metrics`, {
    headers: { authorization: `Bearer ${key}`, ...headers },
  });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    body: await response.text(),
  };
}

/** The lines of the daemon's log, without values that differ between runs. */
function linesOf(daemon: Daemon): Record<string, unknown>[] {
  return daemon
    .logged()
    .trim()
    .split('\n')
    .map((line) => {
      const { time, pid, hostname, durationMs, queueMs, ...rest } = JSON.parse(line);
      return rest;
    });
}

test('a scraper with the scope reads the metrics; without it, the refusal names the scope', async () => {
  // An unreachable collector costs spans, but no call.
  const daemon = await startDaemon({ telemetry: { otlpEndpoint: 'http://127.0.0.1:1' } });
  const { key: scraper } = await withKey(daemon, 'scraper', { scopes: ['metrics'] });
  const { key: reader } = await withKey(daemon, 'reader', { scopes: ['skills:read'] });
  const counters = countersOf(await documentedAlerts());
  expect(counters.length).toBeGreaterThan(3);
  const openMetrics = { accept: 'application/openmetrics-text; version=1.0.0' };
  // Before anything happens, the daemon serves the counters of the documented alerts, in any order of the formats.
  for (const headers of [{}, openMetrics, openMetrics, {}, {}, openMetrics]) {
    const lines = (await scraped(daemon, scraper, headers)).body.split('\n');
    const missing = counters.filter((counter) => !lines.some((line) => seriesOf(counter).test(line)));
    expect(missing).toEqual([]);
  }
  expect(await daemon.execute('csv-profile', { input })).toMatchObject({ status: 200 });
  await daemon.execute('no-such-skill', {});
  expect(await scraped(daemon, reader)).toMatchObject({
    status: 403,
    body: expect.stringContaining('SCOPE_MISSING'),
  });
  const { status, type, body } = await scraped(daemon, scraper);
  const said = (name: string) => body.split('\n').filter((line) => line.startsWith(name));
  const refusals = said('ambit_refusals_total').filter((line) => !line.endsWith(' 0'));
  const build = said('ambit_build_info');
  expect({ status, type, build, calls: said('ambit_calls_total'), refusals }).toEqual({
    status: 200,
    type: 'text/plain; version=0.0.4; charset=utf-8',
    build: [`ambit_build_info{version="${version}",node="${process.version}"} 1`],
    calls: ['ambit_calls_total{skill="csv-profile",via="http",outcome="succeeded"} 1'],
    refusals: [
      'ambit_refusals_total{via="http",code="SKILL_NOT_FOUND"} 1',
      'ambit_refusals_total{via="http",code="SCOPE_MISSING"} 1',
    ],
  });
  expect(said('ambit_part_up').every((line) => line.endsWith(' 1'))).toBe(true);
  expect(said('ambit_audit_last_sequence')).toHaveLength(1);
  expect(await scraped(daemon, scraper, openMetrics)).toEqual({
    status: 200,
    type: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
    body: expect.stringMatching(/\n# EOF\n$/),
  });
  expect((await daemon.stop()).code).toBe(0);
});

/** A line of a series that `name{label="value", label=~"one|other"}` selects. */
function seriesOf(selector: string): RegExp {
  const [, name = '', matchers = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(selector) ?? [];
  const labels = [...matchers.matchAll(/(\w+)=~?"([^"]*)"/g)].map(
    ([, label, value]) => `(?=.*\\b${label}="(?:${value})")`,
  );
  return new RegExp(`^${name}[{ ]${labels.join('')}`);
}

test('a call is one trace from its request to the end of its record, over HTTP and MCP, and its log line has the trace id', async () => {
  const receiver = await otlpReceiver();
  const daemon = await startDaemon({ telemetry: { otlpEndpoint: receiver.url } });
  const [traceId, parent] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
  const { body } = await daemon.request('POST', '/skills/csv-profile/execute', {
    body: { input },
    headers: { traceparent: `00-${traceId}-${parent}-01`, 'x-private': 'hunter2' },
  });
  const client = await httpClient(daemon, 'modern');
  await client.callTool({ name: 'csv-profile', arguments: { ...input } });
  const [{ executionId }] = await daemon.audit('?via=mcp');
  await daemon.stop();
  const id = { 'ambit.execution.id': body.executionId };
  const stretch = (name: string, attributes = {}): ReceivedSpan => ({
    name,
    kind: 1,
    attributes,
    isError: false,
    below: [],
  });
  expect(await receiver.trace(traceId, 8)).toEqual({
    parents: [parent],
    roots: [
      {
        name: 'POST /skills/:id/execute',
        kind: 2,
        isError: false,
        attributes: {
          'http.request.method': 'POST',
          'http.route': '/skills/:id/execute',
          'http.response.status_code': 200,
          ...id,
        },
        below: [
          {
            name: 'execute_tool csv-profile',
            kind: 1,
            isError: false,
            attributes: {
              'gen_ai.operation.name': 'execute_tool',
              'gen_ai.tool.name': 'csv-profile',
              'ambit.skill.tier': 'local',
              'ambit.skill.version': expect.any(String),
              'ambit.outcome': 'succeeded',
              ...id,
            },
            below: [
              ...[stretch('begin record'), stretch('queue'), stretch('check input')],
              stretch('run', {
                'ambit.skill.runtime': 'process',
                'ambit.sandbox': expect.any(String),
                'ambit.outcome': 'succeeded',
              }),
              ...[stretch('check output'), stretch('end record')],
            ],
          },
        ],
      },
    ],
  });
  const lines = linesOf(daemon);
  expect(lines.filter(({ route }) => route === '/skills/:id/execute')).toEqual([
    {
      level: 30,
      executionId: body.executionId,
      method: 'POST',
      path: '/skills/csv-profile/execute',
      route: '/skills/:id/execute',
      key: 'key',
      status: 200,
      bytes: expect.any(Number),
      traceId,
      outcome: 'succeeded',
      msg: 'request',
    },
  ]);
  // A call over MCP is a span of its request, and has a log line of its own.
  expect(lines.filter(({ msg }) => msg === 'call')).toEqual([
    {
      level: 30,
      executionId,
      via: 'mcp',
      key: 'key',
      skill: 'csv-profile',
      outcome: 'succeeded',
      msg: 'call',
    },
  ]);
  const traces = lines.filter(({ path }) => path === '/mcp').map((line) => String(line['traceId']));
  const trees = await Promise.all(traces.map((trace) => receiver.trace(trace, 1)));
  const names = trees.flatMap(({ roots }) => roots.flatMap(({ below }) => below.map(({ name }) => name)));
  expect(names).toEqual(['execute_tool csv-profile']);
  expect(receiver.bodies.join('') + daemon.logged()).not.toMatch(/hunter2/);
  expect(receiver.bodies.join('')).not.toContain(daemon.key);
});
