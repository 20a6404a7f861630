// Threat model: T421

import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { sharedDaemon, startDaemon } from '../../support/daemon.ts';
import type { Daemon } from '../../support/daemon-process.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const uid = process.getuid?.() ?? -1;
const host = uid === 0 ? { host: true, user: 'nobody' } : { host: true };

/** Reports what it finds in folders of sockets, and whether it can connect to the sockets. */
const program = `
import errno, socket
def got(action):
  try: return action()
  except OSError as error: return errno.errorcode.get(error.errno, str(error))
def connect(path):
  with socket.socket(socket.AF_UNIX) as client:
    client.connect(path)
    client.sendall(b'GET /skills HTTP/1.0\\r\\nhost: localhost\\r\\n\\r\\n')
    return client.recv(12).decode()
print(json.dumps({
  'modes': [got(lambda: os.stat(root).st_mode & 0o777) for root in given['roots']],
  'entries': [got(lambda: len(os.listdir(root)) > 0) for root in given['roots']],
  'connections': [got(lambda: connect(path)) for path in given['sockets']],
}))`;

/** The error of a program that may not make a Unix socket. */
const noSockets = 'EAFNOSUPPORT';

/** The folder of sockets where there is no XDG_RUNTIME_DIR. */
const temporary = `/tmp/ambit-${uid}`;

/** Skills below `root` that are granted `read`, a folder to write, or the rights of a user. */
async function configured(root: string, read: readonly string[]): Promise<object> {
  const project = join(root, 'project');
  await mkdir(project);
  // Root's temporary folders are closed to the user of the skills.
  for (const each of [dirname(root), root, project]) await chmod(each, each === project ? 0o777 : 0o755);
  const filesystem = { read, write: [project] };
  await writeSkills(join(root, 'skills'), {
    granted: pythonSkill(program, { capabilities: { exec: ['python3'], filesystem } }),
    ungranted: pythonSkill(program),
    full: pythonSkill(program, { capabilities: { exec: ['python3'], host: true } }),
  });
  return {
    bundledSkills: false,
    skills: [{ path: join(root, 'skills'), tier: 'local' }],
    grants: { granted: { filesystem }, full: host },
  };
}

const usual = sharedDaemon((root) => configured(root, ['/tmp', '/run']), { env: { XDG_RUNTIME_DIR: '' } });

/** The report of a skill about the socket of its daemon. */
async function attempted(daemon: Daemon, skill: string): Promise<unknown> {
  const { body } = await daemon.execute(skill, { input: await placesOf(daemon) });
  return body.outcome?.output ?? body;
}

async function placesOf({ dataDir }: Daemon): Promise<{ roots: string[]; sockets: string[] }> {
  const { socket } = JSON.parse(await readFile(join(dataDir, 'daemon.json'), 'utf8'));
  return { roots: [dirname(dirname(socket))], sockets: [socket] };
}

test('a skill that was granted the folders around the socket cannot look into its folder or connect', async () => {
  expect((await placesOf(usual())).roots).toEqual([temporary]);
  expect(await attempted(usual(), 'granted')).toEqual({
    modes: [0],
    entries: ['EACCES'],
    connections: [noSockets],
  });
});

test('nor can it with the folder that has XDG_RUNTIME_DIR', async () => {
  const above = await temporaryFolder();
  const runtime = join(above, 'run');
  await mkdir(runtime, { mode: 0o700 });
  const root = join(above, 'configured');
  await mkdir(root);
  const config = await configured(root, [above]);
  const daemon = await startDaemon(config, { env: { XDG_RUNTIME_DIR: runtime } });
  expect((await placesOf(daemon)).roots).toEqual([join(runtime, 'ambit')]);
  // Root's folder is closed to the users of skills, and hides the empty one.
  const modes = [uid === 0 ? 'EACCES' : 0];
  const refused = { modes, entries: ['EACCES'], connections: [noSockets] };
  expect(await attempted(daemon, 'granted')).toEqual(refused);
  expect(await attempted(daemon, 'full')).toEqual(refused);
});

test('a skill without paths finds no folder of sockets', async () => {
  expect(await attempted(usual(), 'ungranted')).toEqual({
    modes: ['ENOENT'],
    entries: ['ENOENT'],
    connections: ['ENOENT'],
  });
});

test('a program with the rights of a user finds it empty and cannot connect', async () => {
  expect(await attempted(usual(), 'full')).toEqual({
    modes: [0],
    entries: ['EACCES'],
    connections: [noSockets],
  });
});

test('the same program connects outside the sandbox', async () => {
  const script = join(await temporaryFolder(), 'run.py');
  await writeFile(script, pythonSkill(program)['scripts/run.py'] ?? '');
  const { stdout } = spawnSync('python3', [script], {
    input: JSON.stringify(await placesOf(usual())),
    encoding: 'utf8',
  });
  expect(JSON.parse(stdout)).toEqual({ modes: [0o700], entries: [true], connections: ['HTTP/1.1 200'] });
});
