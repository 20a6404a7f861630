// Threat model: T443, T445

import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { announcedDaemon } from '../../../packages/client/src/node.ts';
import { ambit, repository } from '../../support/daemon-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { stdioClientIn } from '../support/mcp-client.ts';
import { endOnDemand } from '../support/on-demand.ts';

const longIdle = { AMBIT_IDLE: '600000' };
const mail = { text: 'ada@example.org' };
const run = ['run', 'text-redact', '--input', '-'];
const redacted = { code: 0, stdout: expect.stringContaining('[redacted-email]') };

test('agents and commands in folders outside projects share one daemon, which follows the configuration of the user alone', async () => {
  const { env, file, dataDir } = await userHome();
  const [one, two] = [await realpath(await temporaryFolder()), await realpath(await temporaryFolder())];
  for (const cwd of [one, two]) {
    const client = await stdioClientIn(cwd, [], 'modern', { ...env, ...longIdle });
    const { content } = await client.callTool({ name: 'text-redact', arguments: mail });
    expect(JSON.stringify(content)).toContain('[redacted-email]');
  }
  const daemon = await announcedDaemon(dataDir);
  const words = (await readFile(`/proc/${daemon?.pid}/cmdline`, 'utf8')).split('\0');
  expect(words.slice(-3)).toEqual(['serve', '--on-demand', '']);

  await writeFile(join(one, 'ambit.config.yaml'), 'grants: { text-diff: { env: [TZ] } }\n');
  await writeFile(file, 'grants: { text-redact: { env: [TZ] } }\n');
  expect(await ambit(['config', 'reload'], { cwd: two, env })).toMatchObject({ code: 0 });
  const log = () => readFile(join(dataDir, 'daemon.log'), 'utf8');
  expect(await until(async () => /"changed":\[.*?\]/.exec(await log())?.[0] ?? false)).toBe(
    '"changed":["file","grants.text-redact"]',
  );
  const shown = await ambit(['config', '--json'], { cwd: two, env });
  expect(JSON.parse(shown.stdout).configuration).toEqual({ file, kind: 'user', searched: two });
  const { stdout } = await ambit(['audit', '--json'], { cwd: two, env });
  expect(JSON.parse(stdout).records.map(({ via }: { via: string }) => via)).toEqual(['mcp', 'mcp']);
  expect(await announcedDaemon(dataDir)).toEqual(daemon);
  // The folder that has become a project is refused instead.
  expect(await ambit(run, { cwd: one, env, stdin: JSON.stringify(mail) })).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/^ambit: CONFIG_UNTRUSTED: /),
  });
});

test('ambit serve outside a project serves the user, and programs in other folders find its daemon', async () => {
  const { env, dataDir } = await userHome();
  const stop = new AbortController();
  const options = { cwd: await temporaryFolder(), env, signal: stop.signal, killWith: 'SIGTERM' } as const;
  const served = ambit(['serve', '--port', '0'], options);
  const daemon = await until(async () => (await announcedDaemon(dataDir)) ?? false);
  const cwd = await temporaryFolder();
  await mkdir(join(cwd, 'node_modules/@ambit'), { recursive: true });
  await symlink(join(repository, 'packages/client'), join(cwd, 'node_modules/@ambit/client'));
  const program = `
    import { findDaemon } from '@ambit/client/node';
    console.log((await findDaemon()).url);`;
  const args = ['--input-type=module', '--eval', program];
  const found = await promisify(execFile)(process.execPath, args, {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
  });
  expect(found.stdout.trim()).toBe(daemon.url);
  stop.abort();
  expect(await served).toMatchObject({ code: 0 });
});

test("the user's own configuration is refused while another user could change it, with the command at a terminal alone", async () => {
  const { env, file } = await userHome();
  await writeFile(file, 'logLevel: warn\n');
  await chmod(dirname(file), 0o775);
  const call = { cwd: await temporaryFolder(), env, stdin: JSON.stringify(mail) };
  expect(await ambit(run, call)).toEqual({
    code: 3,
    stdout: '',
    stderr: `ambit: CONFIG_UNTRUSTED: the user's configuration ${file} is not trusted, so Ambit does not use it: other users can write ${dirname(file)} (mode 775). A person decides whether to trust it\nIn a terminal, Ambit names the command that corrects this.\n`,
  });
  await chmod(dirname(file), 0o755);
  expect(await ambit(run, call)).toMatchObject(redacted);
});

/** A user with folders of their own, the variables that lead to them, and no configuration yet. */
async function userHome() {
  const home = await realpath(await temporaryFolder());
  const [config, data] = [join(home, 'config'), join(home, 'data')];
  const dataDir = join(data, 'ambit/data');
  await mkdir(join(config, 'ambit'), { recursive: true, mode: 0o755 });
  await mkdir(data);
  onTestFinished(() => endOnDemand(dataDir));
  return {
    env: { HOME: home, XDG_CONFIG_HOME: config, XDG_DATA_HOME: data },
    file: join(config, 'ambit/ambit.config.yaml'),
    dataDir,
  };
}
