import { describe, expect, test } from 'vitest';
import { noCapabilities } from '../../capability/capabilities.ts';
import { type Tier, tierCeilings } from '../../capability/tier.ts';
import { type Grant, grantCall } from '../../grant/grant.ts';
import type { Skill } from '../../skill/skill.ts';
import { asToolSkill } from '../../skill/tool-skill.ts';
import { someSkill } from '../../testing/some-skill.ts';
import { failureHint } from './failure-hint.ts';

const scripts = [{ path: 'scripts/run.py', interpreter: 'python3' }];
const files = ['scripts/run.py', 'scripts/data.json', 'office/__init__.py'].map((path) => ({
  path,
  bytes: 0,
  sha256: '',
}));

function granted(more: Partial<Skill> = {}, sidecar = ''): Grant {
  const skill = asToolSkill(someSkill('report', { scripts, files, tier: 'untrusted', ...more, sidecar }));
  if (skill === undefined) throw new Error('a script makes a tool skill');
  const policy = { digest: 'p', tiers: tierCeilings, grants: new Map(), deny: noCapabilities, limits: {} };
  return grantCall(policy, skill);
}

const hintOf = (output: string, grant = granted({ isInstalled: true }), isForModel = false) =>
  failureHint(grant, { exitCode: 1 }, output, { isForModel });

const approve =
  'To run it as a program, ask a person to approve it (to read it: "ambit skills review report")';
const trace = (error: string) =>
  `Traceback (most recent call last):\n  File "/skill/scripts/run.py", line 1, in <module>\n${error}\n`;

describe('a script that is not approved fails because it', () => {
  test.each([
    [
      "ModuleNotFoundError: No module named 'requests'",
      '\'s output says that it needs the Python package "requests"',
    ],
    [
      "ModuleNotFoundError: No module named 'yaml'",
      '\'s output says that it needs the Python package "PyYAML"',
    ],
    ["ModuleNotFoundError: No module named '_bz2'", 'needs the module bz2'],
    ["ModuleNotFoundError: No module named 'tkinter'", 'needs the module tkinter'],
    ["ModuleNotFoundError: No module named '_multiprocessing'", 'starts another process'],
    ['OSError: [Errno 95] wasi does not support processes.', 'starts another program'],
    ["AttributeError: module 'os' has no attribute 'fork'", 'uses os.fork'],
    ["AttributeError: module 'os' has no attribute 'system'", 'uses os.system'],
    ["NameError: name 'execv' is not defined", 'uses os.execv'],
    ["AttributeError: module 'os' has no attribute 'getuid'", 'uses os.getuid'],
    ["RuntimeError: can't start new thread", 'starts a thread'],
    ["AttributeError: module 'signal' has no attribute 'alarm'", 'uses signal.alarm'],
    ['RuntimeError: Compression requires the (missing) lzma module', 'needs the module lzma'],
    ['tarfile.CompressionError: bz2 module is not available', 'needs the module bz2'],
  ])('%s: %s', (error, what) => {
    const why = what.includes('needs')
      ? 'which Python in WebAssembly does not have'
      : 'which is not possible in WebAssembly';
    expect(hintOf(trace(error))).toBe(
      `The skill${what.startsWith("'") ? '' : ' '}${what}, ${why}. ${approve}`,
    );
  });

  test.each([
    'socket.gaierror: [Errno -3] Temporary failure in name resolution',
    "AttributeError: module '_socket' has no attribute 'getaddrinfo'",
    "AttributeError: module 'http.client' has no attribute 'HTTPSConnection'",
    'OSError: [Errno 58] Not supported',
    'OSError: [Errno 95] Operation not supported',
  ])('opens a socket, and only a trusted skill could use HTTP instead: %s', (error) => {
    const what = 'The skill opens a socket, which is not possible in WebAssembly.';
    expect(hintOf(trace(error))).toBe(`${what} ${approve}`);
    const declared = granted({ tier: 'local' }, 'run: { runtime: wasm, entry: scripts/run.py }');
    expect(hintOf(trace(error), declared)).toBe(
      `${what} HTTP requests of urllib.request need none. To run it as a program, write run.runtime: process in the skill's ambit.yaml, with python3 in run.capabilities.exec`,
    );
  });

  test.each([
    'Missing dependency. Run: pip install requests',
    'error: requests not found, try `pip3 install --user "requests"`',
    "This script requires the 'requests' library.",
    "Import failed: No module named 'requests'",
    'uv add requests',
  ])('handles the missing package itself: %s', (text) => {
    expect(hintOf(text)).toBe(
      `The skill's output says that it needs the Python package "requests", which Python in WebAssembly does not have. ${approve}`,
    );
  });
});

describe('the way to run it as a program', () => {
  const error = trace("RuntimeError: can't start new thread");
  const start = 'The skill starts a thread, which is not possible in WebAssembly. To run it as a program, ';
  const declared = (tier: Tier) =>
    granted({ tier }, 'run: { runtime: wasm, entry: scripts/run.py, protocol: command }');
  const sidecar =
    "write run.runtime: process in the skill's ambit.yaml, with python3 in run.capabilities.exec";
  const higherTier =
    'if you trust its source, add to ambit.config.yaml: skills: [{ path: FOLDER, tier: verified }]. "ambit skills show report" prints FOLDER';

  test('of a configured skill is a higher tier', () => {
    expect(hintOf(error, granted())).toBe(`${start}${higherTier}`);
  });

  test('of a skill whose sidecar asks for WebAssembly is its sidecar', () => {
    expect(hintOf(error, declared('local'))).toBe(`${start}${sidecar}`);
    expect(hintOf(error, declared('untrusted'))).toBe(`${start}${sidecar}; then ${higherTier}`);
  });

  test('is a decision of a person, without a line of configuration, if a model reads it', () => {
    const ask = 'ask a person to trust it (to read it: "ambit skills review report")';
    expect(hintOf(error, granted(), true)).toBe(`${start}${ask}`);
    expect(hintOf(error, declared('untrusted'), true)).toBe(`${start}${sidecar}; then ${ask}`);
    expect(
      hintOf(trace("FileNotFoundError: [Errno 2] No such file or directory: '/srv/in'"), granted(), true),
    ).toBe(`The skill could not read /srv/in: its sandbox has only granted paths. To allow it, ${ask}`);
  });
});

test('a relative import of its own package has the same hint as in a program', () => {
  expect(hintOf(trace("ModuleNotFoundError: No module named 'office'"))).toBe(
    'The script imports from its own package. Run it as a module, with the script "-m scripts.run".',
  );
});

test.each([
  [
    "FileNotFoundError: [Errno 2] No such file or directory: 'scripts/data.json'",
    'The skill found no scripts/data.json in its working folder, /workspace. The files of the skill are in /skill: write /skill/scripts/data.json.',
  ],
  [
    "FileNotFoundError: [Errno 2] No such file or directory: '/srv/in.csv'",
    'The skill could not read /srv/in.csv: its sandbox has only granted paths. To allow it, ask a person to approve it (to read it: "ambit skills review report")',
  ],
  ['ValueError: bad input', undefined],
])('%s has the hint that fits files', (error, hint) => {
  expect(hintOf(trace(error))).toBe(hint);
});

test('the module ambit is only in WebAssembly', () => {
  const error = trace("ModuleNotFoundError: No module named 'ambit'");
  expect(hintOf(error, granted({ tier: 'local' }))).toBe(
    'The module ambit is only in WebAssembly. Run the skill there (run.runtime: wasm), or remove the import.',
  );
});
