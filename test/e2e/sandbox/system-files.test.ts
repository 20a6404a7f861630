// Threat model: T10, T11, T12, T13, T14, T15, T16, T17, T18, T19, T20, T399

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findHostProgram } from '../../../packages/runtime/src/index.ts';
import { sharedDaemon } from '../../support/daemon.ts';
import { localServer } from '../../support/local-server.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Starts a server in the skill, and returns the responses of this server and others. */
const ownServer = `import threading, http.server, urllib.request, urllib.error, socket
class Hello(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers(); self.wfile.write(b"its own")
    def log_message(self, *_): pass
server = http.server.HTTPServer(("localhost", 0), Hello)
threading.Thread(target=server.serve_forever, daemon=True).start()
def got(url):
    try: return urllib.request.urlopen(url, timeout=60).read().decode()
    except urllib.error.HTTPError as error: return error.code
    except OSError as error: return type(error.reason).__name__
def resolved(name):
    try: return socket.gethostbyname(name)
    except OSError as error: return type(error).__name__
print(json.dumps({
    "own": got(f"http://localhost:{server.server_port}/"),
    "host": got(f"http://localhost:{given['port']}/"),
    "granted": got(f"http://127.0.0.1:{given['port']}/"),
    "elsewhere": got("http://example.invalid/"),
    "names": [resolved(name) for name in ["localhost", socket.gethostname(), given["hostName"], "example.invalid"]],
}))`;

const { port, origin } = await localServer((_, response) => response.end("the host's"));

const known = [
  { program: 'python3', script: 'import getpass; print(getpass.getuser())', stdout: 'skill\n' },
  {
    program: 'node',
    script: 'console.log(os.userInfo().username, os.hostname())',
    stdout: 'skill ambit\n',
  },
  {
    program: 'perl',
    script: 'print scalar getpwuid($<), " ", scalar getgrgid($(), "\\n"',
    stdout: 'skill skill\n',
  },
  { program: 'bash', script: 'printf "%s\\n" ~skill', stdout: '/tmp\n' },
].filter(({ program }) => findHostProgram(program) !== undefined);

const repository = join(await temporaryFolder({}, afterAll), 'repository');
execFileSync('git', ['init', '--quiet', '--initial-branch', 'main', repository]);
const touched = join(repository, 'touched');
execFileSync('git', ['-C', repository, 'config', 'core.fsmonitor', `touch ${touched}; false`]);

const shared = sharedDaemon(async (skills) => {
  const network = [origin];
  const branch = { exec: ['git'], filesystem: { read: [repository] } };
  const shell = (text: string, exec: readonly string[]) => ({
    'ambit.yaml': JSON.stringify({
      run: { runtime: 'process', protocol: 'command', entry: 'scripts/run', capabilities: { exec } },
    }),
    'scripts/run': `#!/bin/sh\n${text}\n`,
  });
  await writeSkills(skills, {
    alone: pythonSkill(ownServer),
    connected: pythonSkill(ownServer, { capabilities: { exec: ['python3'], network } }),
    ...Object.fromEntries(
      known.map(({ program, script }) => {
        const flag = program === 'python3' || program === 'bash' ? '-c' : '-e';
        return [`uses-${program}`, shell(`exec ${program} ${flag} '${script}'`, ['sh', program])];
      }),
    ),
    branch: {
      'scripts/branch.sh': '#!/bin/sh\ngit -C "$1" status --short --branch\n',
    },
    keys: shell('ssh-keygen -q -t ed25519 -N "" -f /tmp/key && cut -d" " -f1,3 /tmp/key.pub', [
      'sh',
      'cut',
      'ssh-keygen',
    ]),
  });
  return { skills: [{ path: skills, tier: 'local' }], grants: { connected: { network }, branch } };
});

test('localhost is the sandbox itself with or without a network, and the proxy resolves other names', async () => {
  const input = { port, hostName: hostname() };
  const outputOf = async (skill: string) => (await shared().execute(skill, { input })).body.outcome.output;
  const own = { own: 'its own', host: 'ConnectionRefusedError' };
  const names = ['127.0.0.1', '127.0.0.1', 'gaierror', 'gaierror'];
  expect({ alone: await outputOf('alone'), connected: await outputOf('connected') }).toEqual({
    alone: { ...own, granted: 'ConnectionRefusedError', elsewhere: 'gaierror', names },
    connected: { ...own, granted: "the host's", elsewhere: 403, names },
  });
});

test.each(known)('$program knows its user, and warns of nothing', async ({ program, stdout }) => {
  const { body } = await shared().execute(`uses-${program}`, {});
  expect(body.outcome).toMatchObject({ status: 'succeeded', output: { exitCode: 0, stdout, stderr: '' } });
});

test('git reads a granted repository, also for a daemon that is root, and what the repository configures changes nothing outside', async () => {
  const { body } = await shared().execute('branch', { args: [repository] });
  const stdout = '## No commits yet on main\n';
  expect(body.outcome).toMatchObject({ status: 'succeeded', output: { stdout } });
  expect(existsSync(touched)).toBe(false);
  execFileSync('git', ['-C', repository, 'status'], { stdio: 'ignore' });
  expect(existsSync(touched)).toBe(true);
});

test.skipIf(findHostProgram('ssh-keygen') === undefined)(
  'ssh-keygen creates a key for the user in the sandbox',
  async () => {
    const { body } = await shared().execute('keys', {});
    expect(body.outcome).toMatchObject({
      status: 'succeeded',
      output: { exitCode: 0, stdout: 'ssh-ed25519 skill@ambit\n', stderr: '' },
    });
  },
);
