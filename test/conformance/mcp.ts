/**
 * Runs the published MCP conformance suites against the real daemon: `npm run test:all -- mcp`.
 * Their requests carry no key, so a forwarder on loopback adds one and changes nothing else.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { glob, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { daemonProcess } from '../support/daemon-process.ts';
import { localServer } from '../support/local-server.ts';
import { proxyWithKey } from '../support/proxy-with-key.ts';

/**
 * The releases of the suite: the latest, and the newest pre-release, which covers the revision of
 * 2026-07-28.
 */
const releases: Readonly<Record<string, readonly string[]>> = {
  conformance: [
    'server-initialize',
    'ping',
    'logging-set-level',
    'tools-list',
    'resources-list',
    'prompts-list',
    'server-sse-multiple-streams',
    'dns-rebinding-protection',
  ],
  'conformance-next': [
    'server-initialize',
    'server-session-lifecycle',
    'server-stateless',
    'ping',
    'logging-set-level',
    'tools-list',
    'resources-list',
    'prompts-list',
    'server-sse-multiple-streams',
    'server-sse-polling',
    'dns-rebinding-protection',
    'caching',
    'http-header-validation',
    'sep-2164-resource-not-found',
    'sep-2640-skills-directory',
    'sep-2640-skills-enumeration',
    'sep-2640-skills-manifest',
    'input-required-result-ignore-extra-params',
    'input-required-result-missing-input-response',
    'input-required-result-unsupported-methods',
    'input-required-result-validate-input',
  ],
};

/**
 * Checks in these scenarios that fail because they call a tool of the suite's own example server.
 */
const notTestable: ReadonlySet<string> = new Set([
  'sep-2575-server-rejects-undeclared-capability',
  'sep-2575-missing-capability-http-400',
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-server-no-log-without-loglevel',
]);

/** The other scenarios, and why they do not apply to this server. */
const leftOut: Readonly<Record<string, string>> = {
  'tools-call-*, json-schema-2020-12': "they call tools of the suite's own example server by name",
  'resources-read-*, resources-templates-read': 'they read resources of that server, under its own scheme',
  'prompts-get-*': 'they get prompts of that server by name',
  'elicitation-*, other input-required-result-*':
    'a tool or prompt of that server asks the user something; none of ours does',
  'http-custom-header-server-validation': 'it needs a tool with x-mcp-header in its schema; ours have none',
  'server-sse-polling of the last release':
    'it calls a tool of that server which ends its stream; ours are not resumed',
  'resources-subscribe, resources-unsubscribe': 'an optional capability that is not declared',
  'completion-complete': 'an optional capability that is not declared',
  'tasks-*': 'an optional extension that is not declared',
};

const folder = await mkdtemp(join(tmpdir(), 'ambit-conformance-'));
const daemon = await daemonProcess(folder);
const forwarder = await localServer(proxyWithKey(daemon));
const url = `${forwarder.origin}/mcp`;
try {
  for (const [release, scenarios] of Object.entries(releases)) {
    for (const scenario of scenarios) {
      const failures = await failuresOf(release, scenario);
      console.log(`${failures.length === 0 ? 'passed' : 'FAILED'}  ${release}  ${scenario}`);
      for (const failure of failures) console.log(`        ${failure}`);
      if (failures.length > 0) process.exitCode = 1;
    }
  }
  for (const check of notTestable)
    console.log(`omitted  ${check}: it calls a tool of the suite's own server`);
  for (const [name, why] of Object.entries(leftOut)) console.log(`omitted  ${name}: ${why}`);
} finally {
  forwarder.close();
  await daemon.stop();
  await rm(folder, { recursive: true, force: true });
}

/** The failed checks that could have passed. If a scenario could not run, its output. */
async function failuresOf(release: string, scenario: string): Promise<string[]> {
  const bin = join(import.meta.dirname, `../node_modules/@modelcontextprotocol/${release}/dist/index.js`);
  const results = join(folder, `${release}-${scenario}`);
  const words = [bin, 'server', '--url', url, '--scenario', scenario, '--output-dir', results];
  const child = spawn(process.execPath, words, { cwd: folder, stdio: 'pipe' });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk));
  await once(child, 'close');
  const files = await Array.fromAsync(glob('**/checks.json', { cwd: results }));
  if (files.length === 0) return [Buffer.concat(output).toString()];
  const checks = await Promise.all(files.map(async (file) => readFile(join(results, file), 'utf8')));
  return checks
    .flatMap((text) => JSON.parse(text) as Check[])
    .filter(({ id, status }) => status === 'FAILURE' && !notTestable.has(id))
    .map(({ id, description, errorMessage }) => `${id}: ${errorMessage ?? description}`);
}

interface Check {
  id: string;
  status: string;
  description: string;
  errorMessage?: string;
}
