/**
 * Checks that other programs can use the API document: `npm run test:all -- openapi`. Installs four
 * client generators and two linters into a temporary folder, generates clients from the document of
 * a real daemon, compiles them under `strict` and makes two calls with each. Exits with 1 if a
 * linter reports an error, a client does not compile, or a call fails.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { daemonProcess, repository } from '../support/daemon-process.ts';
import { writeFiles } from '../support/temporary-folder.ts';

const tools = [
  'openapi-typescript@7.13.0',
  'openapi-fetch@0.17.0',
  '@hey-api/openapi-ts@0.99.0',
  'orval@8.38.0',
  'swagger-typescript-api@13.13.0',
  '@redocly/cli@2.77.0',
  '@stoplight/spectral-cli@6.16.3',
  'typescript@5.9.3',
];

const linters = [
  ['redocly', 'lint', 'openapi.json'],
  ['spectral', 'lint', '--fail-severity=error', 'openapi.json'],
];

const generators = [
  ['openapi-typescript', 'openapi.json', '-o', 'openapi-typescript/schema.ts'],
  ['openapi-ts', '-i', 'openapi.json', '-o', 'hey-api', '-c', '@hey-api/client-fetch'],
  ['orval', '--config', 'orval.config.mjs'],
  [
    'swagger-typescript-api',
    'generate',
    '-p',
    'openapi.json',
    '-o',
    'swagger-typescript-api',
    '-n',
    'api.ts',
  ],
];

const folder = await mkdtemp(join(tmpdir(), 'ambit-generators-'));
const daemon = await daemonProcess(join(folder), {
  skills: [{ path: join(repository, 'skills'), tier: 'local' }],
});
try {
  await writeFiles(folder, settings(daemon.url));
  const { body } = await daemon.request('GET', '/openapi.json');
  await writeFile(join(folder, 'openapi.json'), JSON.stringify(body));
  await must('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...tools]);
  for (const [tool = '', ...args] of [...linters, ...generators]) await check(tool, args);
  // After the generators, because one of them empties its output folder.
  await writeFiles(folder, programs(daemon.url, daemon.key));
  await check('tsc', ['--project', '.']);
  for (const name of Object.keys(programs('', ''))) await call(name);
} finally {
  await daemon.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Runs an installed tool and reports the result. */
async function check(tool: string, args: readonly string[]): Promise<void> {
  report(`${tool} ${args[0]}`, await run(join(folder, 'node_modules/.bin', tool), args));
}

/** Bundles a program with its client and runs it. It prints "called" after two calls. */
async function call(name: string): Promise<void> {
  const file = join(folder, `${name}.mjs`);
  const bundle = await rolldown({
    input: join(folder, name),
    cwd: folder,
    platform: 'node',
    logLevel: 'silent',
  });
  await bundle.write({ file });
  const { code, output } = await run(process.execPath, [file]);
  report(`calls made by ${name}`, { code: output.trim() === 'called' ? code : 1, output });
}

async function must(file: string, args: readonly string[]): Promise<void> {
  const { code, output } = await run(file, args);
  if (code !== 0) throw new Error(`${file} ${args[0]} failed:\n${output}`);
}

async function run(file: string, args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(file, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

function report(name: string, { code, output }: { code: number | null; output: string }): void {
  console.log(`${code === 0 ? 'passed' : 'FAILED'}  ${name}`);
  if (code === 0) return;
  console.log(output);
  process.exitCode = 1;
}

function settings(baseUrl: string): Record<string, string> {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2023',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2024', 'dom', 'dom.iterable'],
    types: [],
  };
  const folders = ['openapi-typescript', 'hey-api', 'orval', 'swagger-typescript-api'];
  const orval = {
    ambit: { input: './openapi.json', output: { target: './orval/api.ts', client: 'fetch', baseUrl } },
  };
  return {
    'package.json': JSON.stringify({ private: true, type: 'module' }),
    'tsconfig.json': JSON.stringify({ compilerOptions, include: folders }),
    'orval.config.mjs': `export default ${JSON.stringify(orval)};\n`,
    '.spectral.yaml': 'extends: ["spectral:oas"]\n',
  };
}

/** One program per generator. It lists records with a number as the limit and runs a skill. */
function programs(url: string, key: string): Record<string, string> {
  const given = `const url = ${JSON.stringify(url)};
const headers = { authorization: ${JSON.stringify(`Bearer ${key}`)} };
const input = { text: 'mail a@example.com' };
declare const console: { log(text: string): void };
`;
  const checked = (records: string, status: string): string => `
const records: readonly { sequence: number }[] | undefined = ${records};
if (records === undefined || ${status} !== 'succeeded') throw new Error('the answers are not what was expected');
console.log('called');
`;
  return {
    'openapi-typescript/main.ts': `import createClient from 'openapi-fetch';
import type { components, paths } from './schema';
${given}
const client = createClient<paths>({ baseUrl: url, headers });
const ran = await client.POST('/skills/{id}/execute', { params: { path: { id: 'text-redact' } }, body: { input } });
const listed = await client.GET('/audit', { params: { query: { limit: 5 } } });
const page: components['schemas']['AuditPage'] | undefined = listed.data;
const answer = typeof ran.data === 'object' ? ran.data : undefined;
${checked('page?.records', "answer && 'audit' in answer && answer.outcome.status")}`,
    'hey-api/main.ts': `import { executeSkill, listRecords } from '.';
import { client } from './client.gen';
${given}
client.setConfig({ baseUrl: url, headers });
const ran = await executeSkill({ path: { id: 'text-redact' }, body: { input } });
const listed = await listRecords({ query: { limit: 5 } });
const answer = ran.data;
${checked('listed.data?.records', "answer && 'audit' in answer && answer.outcome.status")}`,
    'orval/main.ts': `import { executeSkill, listRecords } from './api';
${given}
void url;
const ran = await executeSkill('text-redact', { input }, { headers: { ...headers, 'content-type': 'application/json' } });
const listed = await listRecords({ limit: 5 }, { headers });
const answer = ran.status === 200 ? ran.data : undefined;
${checked('listed.status === 200 ? listed.data.records : undefined', "typeof answer === 'object' && answer.outcome.status")}`,
    'swagger-typescript-api/main.ts': `import { Api } from './api';
${given}
const api = new Api({ baseUrl: url, baseApiParams: { headers } });
const ran = await api.skills.executeSkill('text-redact', { input }, { format: 'json' });
const listed = await api.audit.listRecords({ limit: 5 }, { format: 'json' });
${checked('listed.data.records', 'ran.data.outcome.status')}`,
  };
}
