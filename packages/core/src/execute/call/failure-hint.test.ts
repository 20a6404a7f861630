// Threat model: T112, T113, T386

import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { Capabilities } from '../../capability/capabilities.ts';
import { tierCeilings } from '../../capability/tier.ts';
import { type Grant, grantCall, type Narrowing } from '../../grant/grant.ts';
import { asToolSkill } from '../../skill/tool-skill.ts';
import { someSkill } from '../../testing/some-skill.ts';
import { failureHint } from './failure-hint.ts';

const scripts = [{ path: 'scripts/run.py', interpreter: 'python3' }];
const files = [{ path: 'scripts/run.py', bytes: 0, sha256: '' }];

function granted(
  operator: Parameters<typeof Capabilities.parse>[0] = {},
  { narrowing = {}, sidecar = '', script }: { narrowing?: Narrowing; sidecar?: string; script?: string } = {},
): Grant {
  const skill = asToolSkill(someSkill('report', { scripts, files, sidecar }), script);
  if (skill === undefined) throw new Error('a script makes a tool skill');
  const grants = new Map([['report', Capabilities.parse(operator)]]);
  const deny = Capabilities.parse({});
  return grantCall({ digest: 'p', tiers: tierCeilings, grants, deny, limits: {} }, skill, { narrowing });
}

const failed = { exitCode: 1 };

describe('the hint for a script without a sidecar ends with the line that grants access:', () => {
  const host = { network: ['api.example'] };
  const read = { filesystem: { read: ['/srv/in.csv'] } };
  test.each<[string, string, object]>([
    ['a program that sh starts', 'run.sh: 3: jq: not found', { exec: ['jq'] }],
    ['a program that Bash starts', 'run.sh: line 3: jq: command not found', { exec: ['jq'] }],
    ['a program that Node starts', 'Error: spawn jq ENOENT', { exec: ['jq'] }],
    [
      'a program that Python starts',
      "  in _execute_child\nFileNotFoundError: [Errno 2] No such file or directory: 'jq'",
      { exec: ['jq'] },
    ],
    [
      'a shell that Python starts',
      "  in _execute_child\nFileNotFoundError: [Errno 2] No such file or directory: '/bin/sh'",
      { exec: ['sh'] },
    ],
    ['a shell that Node starts', 'Error: spawn /bin/sh ENOENT', { exec: ['sh'] }],
    ['a host that curl requests', 'curl: (6) Could not resolve host: api.example', host],
    [
      'a host that Node requests',
      'TypeError: fetch failed\n  [cause]: Error: getaddrinfo EAI_AGAIN api.example',
      host,
    ],
    [
      'a host that Python requests',
      "requests.exceptions.ConnectionError: HTTPSConnectionPool(host='api.example', port=443): Max retries exceeded with url: /",
      host,
    ],
    ['an address', 'Error: connect ECONNREFUSED 127.0.0.1:8080', { network: ['127.0.0.1:8080'] }],
    [
      'an address that curl requests',
      "curl: (7) Failed to connect to 127.0.0.1 port 8199 after 0 ms: Couldn't connect to server",
      { network: ['127.0.0.1:8199'] },
    ],
    [
      'a variable that Python reads',
      `  File "/skill/scripts/run.py", line 2, in <module>\n    print(os.environ['API_URL'])\n  File "<frozen os>", line 685, in __getitem__\nKeyError: 'API_URL'`,
      { env: ['TZ', 'API_URL'] },
    ],
    [
      'a path that Python reads',
      "FileNotFoundError: [Errno 2] No such file or directory: '/srv/in.csv'",
      read,
    ],
    ['a path that Node reads', "Error: ENOENT: no such file or directory, open '/srv/in.csv'", read],
    ['a path that a shell reads', 'cat: /srv/in.csv: No such file or directory', read],
    [
      'a path that Python writes',
      "OSError: [Errno 30] Read-only file system: '/srv/out.csv'",
      { filesystem: { write: ['/srv/out.csv'] } },
    ],
  ])('%s', (_, stderr, added) => {
    const hint = failureHint(granted({ env: ['TZ'] }), failed, stderr) ?? '';
    const [, line = ''] = /To allow it, add to ambit\.config\.yaml: (grants: .*)$/.exec(hint) ?? [];
    expect(parse(line)).toEqual({ grants: { report: { env: ['TZ'], ...added } } });
  });
});

test('says that a person decides, and not how, if a model reads it', () => {
  const stderr = 'cat: /srv/in.csv: No such file or directory';
  expect(failureHint(granted(), failed, stderr, { isForModel: true })).toBe(
    'The skill could not read /srv/in.csv: its sandbox has only granted paths. A person can grant it (to read the skill: "ambit skills review report").',
  );
});

test('names no configuration to a model whose script uses a global fetch', () => {
  const stderr = "ReferenceError: 'fetch' is not defined";
  const start = "Scripts have no global fetch. Write: import { fetch } from 'ambit'.";
  expect(failureHint(granted(), failed, stderr, { isForModel: true })).toBe(
    `${start} A person can grant the host.`,
  );
  expect(failureHint(granted(), failed, stderr)).toBe(
    `${start} Request the host under run.capabilities.network in its ambit.yaml, and grant it under grants in ambit.config.yaml.`,
  );
});

describe('a path of installed software', () => {
  const stderr = "FileNotFoundError: [Errno 2] No such file or directory: '/usr/share/plots/style'";
  test('is named with the line that grants it if this machine has it', () => {
    expect(
      failureHint(granted(), failed, stderr, { isInstalled: (path) => path.startsWith('/usr/share/plots') }),
    ).toBe(
      'The skill could not read /usr/share/plots/style: its sandbox has only granted paths. To allow it, add to ambit.config.yaml: grants: { report: { filesystem: { read: [/usr/share/plots/style] } } }',
    );
  });

  test('is not named if this machine lacks it, and no other path is ever looked up', () => {
    const asked: string[] = [];
    const isInstalled = (path: string): boolean => asked.push(path) < 0;
    expect(failureHint(granted(), failed, stderr, { isInstalled })).toBeUndefined();
    for (const path of [
      '/etc/shadow',
      '/root/.ssh/id_ed25519',
      '/home/ada/x',
      '/srv/x',
      '/usr/../etc/shadow',
    ])
      failureHint(granted(), failed, stderr.replace('/usr/share/plots/style', path), { isInstalled });
    expect(asked).toEqual(['/usr/share/plots/style']);
  });
});

describe('a host path is recognized in the error of', () => {
  test.each<[program: string, stderr: string]>([
    ['Python', "FileNotFoundError: [Errno 2] No such file or directory: '/srv/in.csv'"],
    ['Node', "Error: ENOENT: no such file or directory, open '/srv/in.csv'"],
    ['Ruby', "in `read': No such file or directory @ rb_sysopen - /srv/in.csv (Errno::ENOENT)"],
    [
      'PHP',
      'PHP Warning:  fopen(/srv/in.csv): Failed to open stream: No such file or directory in /skill/run.php',
    ],
    ['Java', 'java.io.FileNotFoundException: /srv/in.csv (No such file or directory)'],
    ['Java’s NIO', 'Exception in thread "main" java.nio.file.NoSuchFileException: /srv/in.csv'],
    ['Go', 'open /srv/in.csv: no such file or directory'],
    ['Perl', "Can't open '/srv/in.csv': No such file or directory at run.pl line 1."],
    ['R', "cannot open file '/srv/in.csv': No such file or directory"],
    ['Lua', 'lua: cannot open /srv/in.csv'],
  ])('%s', (_, stderr) => {
    expect(failureHint(granted(), failed, stderr)).toMatch(/^The skill could not read \/srv\/in\.csv: /);
  });
});

test('finds the one cause of a hundred thousand absent paths in bounded time', () => {
  const line = (at: number): string =>
    `FileNotFoundError: [Errno 2] No such file or directory: '/usr/share/x/${at}'`;
  let asked = 0;
  const isInstalled = (): boolean => {
    asked += 1;
    return false;
  };
  const stderr = Array.from({ length: 100_000 }, (_, at) => line(at)).join('\n');
  expect([failureHint(granted(), failed, stderr, { isInstalled }), asked]).toEqual([undefined, 1]);
});

describe('a host that is granted and that a program reaches past the proxy', () => {
  const network = { network: ['api.example', '*.other.example:443'] };
  test.each<[client: string, stderr: string, host: string]>([
    ['curl without its variables', 'curl: (6) Could not resolve host: api.example', 'api.example'],
    [
      'aiohttp',
      'aiohttp.client_exceptions.ClientConnectorError: Cannot connect to host api.example:443 ssl:default [Temporary failure in name resolution]',
      'api.example',
    ],
    ['Java', 'java.net.UnknownHostException: a.other.example', 'a.other.example'],
    [
      'urllib3',
      "urllib3.exceptions.NameResolutionError: <x>: Failed to resolve 'api.example' ([Errno -3])",
      'api.example',
    ],
    ['Go', 'dial tcp: lookup api.example on 1.1.1.1:53: no such host', 'api.example'],
  ])('%s', (_, stderr, host) => {
    expect(failureHint(granted(network), failed, stderr)).toMatch(
      `The skill tried to reach ${host}, which is granted, without the proxy of its sandbox, and nothing else is reachable. If the host is granted, have the program use HTTP_PROXY and HTTPS_PROXY, which are set`,
    );
  });

  test('a resolver that names no host', () => {
    const stderr = 'socket.gaierror: [Errno -3] Temporary failure in name resolution';
    expect(failureHint(granted(network), failed, stderr)).toMatch(
      'The skill tried to reach a host without the proxy',
    );
  });

  test('is told apart from a host that is not granted', () => {
    const stderr = 'java.net.UnknownHostException: evil.example';
    expect(failureHint(granted(network), failed, stderr)).toMatch(
      'The skill tried to reach evil.example, which is not granted. To allow it, add to ambit.config.yaml: ',
    );
  });
});

test('a caught error of a program that the machine has names that program, and no file', () => {
  const stderr = "[Errno 2] No such file or directory: 'soffice'";
  expect(failureHint(granted(), failed, stderr, { missingPrograms: ['soffice'] })).toBe(
    'The skill starts soffice, which this machine has and its sandbox lacks. To allow it, add to ambit.config.yaml: grants: { report: { exec: [soffice] } }',
  );
  expect(failureHint(granted(), failed, stderr)).toMatch('The skill found no soffice in its working folder');
});

test('suggests no grant for what the call itself left out', () => {
  const stderr = 'run.sh: 3: jq: not found';
  const narrowing = { capabilities: { exec: ['python3'] } };
  expect(failureHint(granted({ exec: ['jq'] }, { narrowing }), failed, stderr)).toBe(
    'The skill\'s output says that it starts "jq", which is not in its sandbox. If this machine lacks it too, install it first. It is granted, but the call or its key\'s ceiling leaves it out.',
  );
});

test('tells a skill with a sidecar to request what it lacks', () => {
  const sidecar = 'run: { runtime: process, entry: scripts/run.py }';
  expect(failureHint(granted({}, { sidecar }), failed, 'cat: /srv/in.csv: No such file or directory')).toBe(
    "The skill could not read /srv/in.csv: its sandbox has only granted paths. To allow it, add /srv/in.csv to run.capabilities.filesystem.read in the skill's ambit.yaml, and add to ambit.config.yaml: grants: { report: { filesystem: { read: [/srv/in.csv] } } }",
  );
});

test('names the script when the run in the sidecar does not', () => {
  const sidecar = 'run: { runtime: process, entry: scripts/main.py }';
  expect(
    failureHint(granted({}, { sidecar, script: 'run.py' }), failed, 'run.sh: 3: jq: not found'),
  ).toContain("add jq to capabilities.exec of scripts/run.py in run.scripts in the skill's ambit.yaml.");
});

test.each([
  ['part of the sandbox', 'cat: /etc/in.csv: No such file or directory'],
  ['granted but missing on the host', 'cat: /srv/data/in.csv: No such file or directory'],
  ['not normalized', 'cat: /srv/../etc/shadow: No such file or directory'],
])('suggests no grant for a path that is %s', (_, stderr) => {
  expect(failureHint(granted({ filesystem: { read: ['/srv/data'] } }), failed, stderr)).toBeUndefined();
});

test.each([
  ['a key of an ordinary mapping', `  File "/skill/run.py", line 2, in <module>\n    a['B']\nKeyError: 'B'`],
  [
    'a variable that is granted',
    `  File "/usr/lib/python3.12/os.py", line 685, in __getitem__\n    raise KeyError(key) from None\nKeyError: 'TZ'`,
  ],
])('suggests no grant for %s', (_, stderr) => {
  expect(failureHint(granted({ env: ['TZ'] }), failed, stderr)).toBeUndefined();
});

test('names the folders that a skill can write, if it writes to its own', () => {
  expect(failureHint(granted(), failed, "OSError: [Errno 30] Read-only file system: '/skill/out.csv'")).toBe(
    'The skill tried to write /skill/out.csv, but its own folder is read-only. Write results to the working folder, /workspace, and temporary files to /tmp.',
  );
});

describe('a folder that is full', () => {
  const workspace = 'run: { runtime: process, entry: scripts/run.py, protocol: command, capabilities: ';
  const withWorkspace = granted({}, { sidecar: `${workspace}{ filesystem: { write: [workspace] } } }` });
  const without = granted({}, { sidecar: `${workspace}{} }` });
  const more =
    'A call can ask for more memory (--memory on the command line, "limits" over HTTP), and a person can raise the maximum.';
  const quota = 'A stored workspace also has a maximum of its own, its quota.';
  const says = "The skill's output says that";
  const temporary = `${says} /tmp is full. /tmp holds 256MiB, half of the memory limit. /workspace may use all of it: have large files written there. ${more}`;

  test.each<[what: string, stderr: string, hint: string, grant?: Grant]>([
    ['/tmp, of Python', "OSError: [Errno 28] No space left on device: '/tmp/x'", temporary],
    ['/tmp, of Node', "Error: ENOSPC: no space left on device, open '/tmp/x'", temporary],
    ['/tmp, of cp', "cp: error writing '/tmp/x': No space left on device", temporary],
    ['/tmp, of tar', 'tar: /tmp/x: Cannot write: No space left on device', temporary],
    [
      '/tmp, without a workspace',
      "OSError: [Errno 28] No space left on device: '/tmp/x'",
      `${says} /tmp is full. /tmp holds 256MiB, half of the memory limit. ${more}`,
      without,
    ],
    [
      'the workspace',
      'sh: 1: cannot create /workspace/x: No space left on device',
      `${says} /workspace is full. It may use all of the memory limit, 512MiB. ${quota} ${more}`,
    ],
    [
      'shared memory',
      "OSError: [Errno 28] No space left on device: '/dev/shm/x'",
      `${says} /dev/shm is full. It holds 64MiB.`,
    ],
    [
      'a granted folder',
      "OSError: [Errno 28] No space left on device: '/srv/out/x'",
      `${says} /srv/out is full: that is a disk of this machine. A person can free some space there.`,
      granted({ filesystem: { write: ['/srv/out'] } }),
    ],
    [
      'a folder without a name in the error',
      'Error: ENOSPC: no space left on device, write',
      `${says} a folder is full, but not which one. /tmp holds 256MiB, half of the memory limit, and /workspace may use all of it, 512MiB. ${quota} ${more}`,
    ],
    [
      'a folder without a name in the error, and without a workspace',
      'cat: write error: No space left on device',
      `${says} a folder is full, but not which one. /tmp holds 256MiB, half of the memory limit. ${more}`,
      without,
    ],
  ])('is named with what it holds: %s', (_, stderr, hint, grant = withWorkspace) => {
    expect(failureHint(grant, failed, stderr)).toBe(hint);
  });

  test('is not named for a module, whose files are in its own memory', () => {
    const module = granted({}, { sidecar: 'run: { runtime: wasm, entry: main.wasm, protocol: command }' });
    expect(failureHint(module, failed, 'No space left on device')).toBeUndefined();
  });
});

describe('a file that is missing from the working folder', () => {
  const sent =
    'The skill found no data/in.csv in its working folder, /workspace. That folder has only files sent with the call: --file PATH on the command line, "files" over HTTP and MCP.';
  test.each([
    ['Python opens', "FileNotFoundError: [Errno 2] No such file or directory: 'data/in.csv'"],
    ['Python runs', "python3: can't open file '/workspace/data/in.csv': [Errno 2] No such file or directory"],
    ['Node opens', "Error: ENOENT: no such file or directory, open 'data/in.csv'"],
    ['a shell opens', 'cat: data/in.csv: No such file or directory'],
    ['a shell opens by its absolute path', 'cat: /workspace/data/in.csv: No such file or directory'],
  ])('must be sent with the call: %s', (_, stderr) => {
    expect(failureHint(granted(), failed, stderr)).toBe(sent);
  });

  test('must be sent with the call if it is in /tmp, because each run has its own', () => {
    expect(failureHint(granted(), failed, 'cat: /tmp/in.csv: No such file or directory')).toBe(
      'The skill found no /tmp/in.csv: each run has its own empty /tmp. Send the file with the call and name it without its folder: --file PATH on the command line, "files" over HTTP and MCP.',
    );
  });

  test.each(['scripts/run.py', './scripts/run.py', '/workspace/scripts/run.py'])(
    'is named by its path in the skill if the skill has it: %s',
    (path) => {
      expect(failureHint(granted(), failed, `python3: can't open file '${path}': [Errno 2]`)).toMatch(
        /\. The files of the skill are in \/skill: write \/skill\/scripts\/run\.py, or run: \{ runtime: process, cwd: skill \} in its ambit\.yaml\.$/,
      );
    },
  );
});

function installedSkill(): Grant {
  const grant = granted();
  return { ...grant, skill: { ...grant.skill, id: 'acme:report', isInstalled: true } } as Grant;
}

test.each([
  ['import', "Cannot find package '@acme/one' imported from /skill/scripts/run.mjs", '@acme/one'],
  ['require', "Error: Cannot find module 'two/lib/x.js'\nRequire stack:\n- /skill/scripts/run.cjs", 'two'],
])('says that a person can lock a missing npm package of an installed skill, by %s', (_, stderr, name) => {
  expect(failureHint(installedSkill(), failed, stderr)).toBe(
    `The skill's output says that it needs the npm package "${name}", which is not locked for it. A person can check that name, and add the package to the skill's locked packages.`,
  );
  expect(failureHint(granted(), failed, stderr)).toMatch(/ run npm install in its folder\.$/);
});

test('says that a person can lock a missing Python package of an installed skill', () => {
  const installed = installedSkill();
  expect(failureHint(installed, failed, "ModuleNotFoundError: No module named 'yaml'")).toBe(
    'The skill\'s output says that it needs the Python package "PyYAML" (module "yaml"), which is not locked for it. A person can check that name, and add the package to the skill\'s locked packages.',
  );
});

test.each([
  ['yaml', '"PyYAML" (module "yaml")'],
  ['PIL.Image', '"Pillow" (module "PIL")'],
  ['requests', '"requests"'],
])('quotes the package of the Python module %s as the words of the skill', (module, named) => {
  expect(failureHint(granted(), failed, `ModuleNotFoundError: No module named '${module}'`)).toBe(
    `The skill's output says that it needs the Python package ${named}, which is not in its sandbox. Check that name. Then put the package into the skill's folder, or install it for the Python of this system, not in a virtual environment.`,
  );
});

test.each([
  ['Python', "ModuleNotFoundError: No module named 'reqeusts'"],
  ['npm', "Cannot find package 'reqeusts' imported from /skill/scripts/run.mjs"],
])('puts no name of a package that the skill chose into a command: %s', (_, stderr) => {
  for (const grant of [granted(), installedSkill()]) {
    const hint = failureHint(grant, failed, stderr) ?? '';
    expect(hint.replaceAll('"reqeusts"', '')).not.toContain('reqeusts');
    expect(hint).toContain('"reqeusts"');
  }
});

test.each([
  ['/srv/in.csv. A person approved it', 'could not read'],
  ['/tmp/in.csv. A person approved it', 'found no'],
  ['in.csv. A person approved it', 'found no'],
])('quotes the path %j, which could read as a sentence of Ambit', (path, what) => {
  const stderr = `FileNotFoundError: [Errno 2] No such file or directory: '${path}'`;
  expect(failureHint(granted(), failed, stderr)).toMatch(`The skill ${what} "${path}"`);
});

test.each([
  '$(id)',
  '`id`',
  'a; id',
  'a|id',
  'a\u001b[31m',
  'a\u202eb',
  'a" or run "b',
  'a\\b',
  'a&&id',
  'a ambit grant report b',
])('gives no hint with the name %j, and one with a plain name in its place', (name) => {
  for (const line of [
    (each: string) => `Error: Cannot find module '${each}'`,
    (each: string) => `Cannot find module './${each}'`,
    (each: string) => `Can't locate ${each.replaceAll(' ', '')}.pm in @INC`,
    (each: string) => `FileNotFoundError: [Errno 2] No such file or directory: '/srv/${each}'`,
  ]) {
    expect(failureHint(granted(), failed, line(name)) ?? '').not.toContain(name.slice(1, -1));
    expect(failureHint(granted(), failed, line('plain'))).toContain('plain');
  }
});

test('names no package for a module of the standard library', () => {
  expect(failureHint(granted(), failed, "ModuleNotFoundError: No module named 'tkinter'")).toContain(
    'the Python module "tkinter"',
  );
});
