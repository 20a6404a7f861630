// Threat model: T5, T8

import { describe, expect, test } from 'vitest';
import { noCapabilities } from '../capability/capabilities.ts';
import { someSkill } from '../testing/some-skill.ts';
import { isPython } from './run.ts';
import { asToolSkill, isUnapprovedPython, mayStart } from './tool-skill.ts';

const scripts = ['main', 'pack', 'unpack', 'convert'].map((name) => ({
  path: `scripts/${name}.py`,
  interpreter: 'python3',
}));

const named = 'scripts: { pack: { entry: scripts/pack.py, protocol: command } }';
const skillWith = (sidecar: string) => someSkill('documents', { scripts, sidecar });

const chosen = (sidecar: string, script?: string) => {
  const tool = asToolSkill(skillWith(sidecar), script);
  return tool && `${tool.run.entry} ${tool.run.protocol} ${tool.requestedBy}`;
};

describe('a skill whose sidecar has an entry and named scripts', () => {
  const sidecar = `run: { runtime: process, entry: scripts/main.py, ${named} }`;

  test('runs the file of a named script as that script', () => {
    expect(chosen(sidecar, 'scripts/pack.py')).toBe('scripts/pack.py command sidecar');
  });

  test.each(['constructor', 'other', '../pack'])('refuses to run %s', (script) => {
    expect(() => chosen(sidecar, script)).toThrow(
      `documents has no script "${script}"; it has pack, scripts/unpack.py, scripts/convert.py`,
    );
  });
});

test('a skill with named scripts and no entry runs the only one', () => {
  expect(chosen(`run: { runtime: process, ${named} }`)).toBe('scripts/pack.py command sidecar');
});

describe('programs in several folders', () => {
  const files = ['ooxml/scripts/unpack.py', 'recalc.py', 'docx/scripts/pack.py', 'pptx/scripts/pack.py'];
  const programs = files.map((path) => ({ path, interpreter: 'python3' }));
  const office = someSkill('office', { scripts: programs });

  test.each([
    ['unpack.py', 'ooxml/scripts/unpack.py'],
    ['scripts/unpack.py', 'ooxml/scripts/unpack.py'],
    ['recalc.py', 'recalc.py'],
    ['docx/scripts/pack.py', 'docx/scripts/pack.py'],
  ])('%s is unambiguous and runs %s', (script, entry) => {
    expect(asToolSkill(office, script)?.run.entry).toBe(entry);
  });

  test('a name that several programs have is refused with their paths', () => {
    expect(() => asToolSkill(office, 'pack.py')).toThrow(
      'office has several scripts called "pack.py"; name one by its path: docx/scripts/pack.py, pptx/scripts/pack.py',
    );
  });

  test('the end of a path means a listed program rather than a test or a template', () => {
    const scripts = ['bin/pack.py', 'tests/pack.py', 'examples/demo.py', 'assets/demo/page.py'].map(
      (path) => ({
        path,
        interpreter: 'python3',
      }),
    );
    const called = (name: string) => asToolSkill(someSkill('office', { scripts }), name)?.run.entry;
    expect([called('pack.py'), called('demo.py'), called('page.py')]).toEqual([
      'bin/pack.py',
      'examples/demo.py',
      'assets/demo/page.py',
    ]);
  });

  test.each(['npack.py', '../scripts/unpack.py', ''])('%j names no program', (script) => {
    expect(() => asToolSkill(office, script)).toThrow(
      `office has no script ${JSON.stringify(script)}; it has`,
    );
  });

  test('the end of a path runs what the sidecar describes with what the sidecar requests', () => {
    const sidecar =
      'run: { runtime: process, scripts: { unpack: { entry: scripts/ooxml/unpack.py, protocol: command } } }';
    const scripts = [{ path: 'scripts/ooxml/unpack.py', interpreter: 'python3' }];
    const tool = asToolSkill(someSkill('office', { scripts, sidecar }), 'unpack.py');
    expect(tool?.requestedBy).toBe('sidecar');
  });

  test('a refusal lists twenty programs at most', () => {
    const scripts = Array.from({ length: 21 }, (_, at) => ({ path: `p${at}.sh`, interpreter: 'sh' }));
    const twenty = scripts.slice(0, 20).map(({ path }) => path);
    expect(() => asToolSkill(someSkill('many', { scripts }))).toThrow(
      `command line: ${twenty.join(', ')}, …`,
    );
  });
});

test('refuses a module that the shell split from its -m, and shows how to write it', () => {
  const two = 'run: { runtime: process, scripts: { pack: scripts/pack.py, unpack: scripts/unpack.py } }';
  expect(() => chosen(two, '-m')).toThrow(
    'documents has no script "-m"; it has pack, unpack, scripts/main.py, scripts/convert.py. Name a module in the same argument: "-m package.module"',
  );
});

describe('scripts without a run, at tier untrusted', () => {
  const inWasm = {
    runtime: 'wasm',
    interpreter: 'python',
    protocol: 'command',
    capabilities: { ...noCapabilities, filesystem: { read: [], write: ['workspace'] } },
  };
  const untrusted = (interpreter: string | null, path = 'scripts/main.py', sidecar = '') =>
    someSkill('documents', { scripts: [{ path, interpreter }], sidecar, tier: 'untrusted' });

  test.each([
    ['python3', 'scripts/main.py'],
    ['python', 'scripts/main.py'],
    ['python3.11', 'bin/main'],
  ])('%s runs %s in WebAssembly, with a workspace and no program', (interpreter, path) => {
    const tool = asToolSkill(untrusted(interpreter, path));
    expect(tool).toMatchObject({ run: { ...inWasm, entry: path }, requestedBy: 'none' });
    expect(tool && [isPython(tool.run), isUnapprovedPython(tool)]).toEqual([true, true]);
  });

  test('a module of Python runs in WebAssembly', () => {
    const files = [{ path: 'office/pack.py', bytes: 1, sha256: 'a' }];
    const skill = someSkill('documents', { files, tier: 'untrusted' });
    expect(asToolSkill(skill, '-m office.pack')).toMatchObject({
      run: { ...inWasm, entry: 'office/pack.py' },
      module: 'office.pack',
      requestedBy: 'none',
    });
  });

  test.each([
    ['bash', 'scripts/main.sh'],
    ['node', 'scripts/main.js'],
    ['python2', 'scripts/main.py'],
    ['python3', 'scripts/main.js'],
    [null, 'bin/main'],
  ])('%s runs %s as a program, which the tier does not allow', (interpreter, path) => {
    const tool = asToolSkill(untrusted(interpreter, path));
    expect(tool).toMatchObject({ run: { runtime: 'process', entry: path }, requestedBy: 'operator' });
    expect(tool && [mayStart(tool, tool.run), isUnapprovedPython(tool)]).toEqual([false, false]);
  });

  test('a script that the sidecar runs as a program stays one', () => {
    const sidecar = 'run: { runtime: process, entry: scripts/main.py }';
    expect(asToolSkill(untrusted('python3', 'scripts/main.py', sidecar))).toMatchObject({
      run: { runtime: 'process', entry: 'scripts/main.py' },
      requestedBy: 'sidecar',
    });
  });

  test('Python that no run of the sidecar describes runs in WebAssembly', () => {
    const sidecar = 'run: { runtime: process, entry: scripts/other.py }';
    expect(asToolSkill(untrusted('python3', 'scripts/main.py', sidecar), 'main.py')).toMatchObject({
      run: { ...inWasm, entry: 'scripts/main.py' },
      requestedBy: 'none',
    });
  });

  test.each(['local', 'verified'] as const)('at tier %s, Python runs as a program', (tier) => {
    expect(asToolSkill({ ...untrusted('python3'), tier })).toMatchObject({
      run: { runtime: 'process', capabilities: { exec: ['python3'] } },
      requestedBy: 'operator',
    });
  });
});
