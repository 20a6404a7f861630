// Threat model: T5, T387, T453
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what shells and instructions write

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { someSkill } from '../testing/some-skill.ts';
import { asToolSkill, calledScript } from './tool-skill.ts';

const paths = ['scripts/run.py', 'scripts/two words.py', 'scripts/tool.sh', 'tools/build.ts', 'bin/compiled'];
const interpreters = ['python3', 'python3', 'bash', 'node', null];
const scripts = paths.map((path, index) => ({ path, interpreter: interpreters[index] ?? null }));
const files = [...paths, 'pkg/report.py'].map((path) => ({ path, bytes: 1, sha256: '' }));
const skill = { ...someSkill('acme:kit', { scripts, files }), root: '/srv/acme/kit' };

/** Returns the program that runs, and its arguments. */
function ran(command: string) {
  const { script, args = [] } = calledScript(skill, { command });
  const tool = asToolSkill(skill, script);
  return [tool?.module ?? tool?.run.entry, ...args];
}

describe('a command', () => {
  const run = 'scripts/run.py';
  test.each<[string, string[]]>([
    ['scripts/run.py', [run]],
    ['./scripts/run.py --a 1', [run, '--a', '1']],
    ['python3 scripts/run.py --a 1', [run, '--a', '1']],
    ['  python  scripts/run \r\n', [run]],
    ['python3.12 -u -B /skill/scripts/run.py -u', [run, '-u']],
    ['/usr/bin/env python3 skills/kit/scripts/run.py', [run]],
    ['/usr/bin/python3 /srv/acme/kit/scripts/run.py', [run]],
    ['python kit/scripts/run.py', [run]],
    ['python engineering/kit/scripts/run.py', [run]],
    ['python3 ~/.claude/skills/kit/scripts/run.py', [run]],
    ['python3 /mnt/skills/public/kit/scripts/run.py', [run]],
    ['python3 ${CLAUDE_SKILL_DIR}/scripts/run.py', [run]],
    ['python3 "$SKILL_DIR/scripts/run.py" "${CLAUDE_SKILL_DIR}/in.json"', [run, '/skill/in.json']],
    ['python3 {baseDir}/scripts/run.py', [run]],
    ['python3 <SKILL_DIR>/scripts/run.py', [run]],
    ['python3 ${CLAUDE_PLUGIN_ROOT}/skills/kit/scripts/run.py', [run]],
    ['uv run scripts/run.py', [run]],
    ['uv --quiet run --script scripts/run.py', [run]],
    ['uv run --no-project scripts/run.py --frozen', [run, '--frozen']],
    ['uv run --isolated --no-config python scripts/run.py', [run]],
    ['uv run python scripts/run.py', [run]],
    ['uvx python scripts/run.py', [run]],
    ['cd kit && python run.py', [run]],
    ['cd ${CLAUDE_SKILL_DIR} && python scripts/run.py a', [run, 'a']],
    ['cd skills/kit/scripts && python ./run.py', [run]],
    ['sh scripts/tool.sh', ['scripts/tool.sh']],
    ['npx -y tsx tools/build.ts', ['tools/build.ts']],
    ['npx tsx tools/build', ['tools/build.ts']],
    ['bun run tools/build.ts', ['tools/build.ts']],
    ['bin/compiled a', ['bin/compiled', 'a']],
    ['python3 -m pkg.report --all', ['pkg.report', '--all']],
    [
      `python3 'scripts/two words.py' "a b" c\\ d 'e;$(f)' ""`,
      ['scripts/two words.py', 'a b', 'c d', 'e;$(f)', ''],
    ],
    ['python3 scripts/run.py \\\n  --a \\\n  1', [run, '--a', '1']],
    ['python3 scripts/run.py a=b {"x":1} é', [run, 'a=b', '{x:1}', 'é']],
    ['# build it\n\n  python3 scripts/run.py a#b # 1; $(id) "', [run, 'a#b']],
    ['python3 $CODEX_HOME/skills/kit/scripts/run.py', [run]],
    ['python3 "${HOME}/.x/skills/kit/scripts/run.py" ~/.x/skills/kit/a.json', [run, '/skill/a.json']],
    ['cd ~/.x/skills/kit && python3 scripts/run.py', [run]],
    ['python3 {skillDir}/scripts/run.py', [run]],
    ['bash SKILL_DIR/scripts/tool.sh', ['scripts/tool.sh']],
    [`scripts/run.py ${'x'.repeat(20_000)}`, [run, 'x'.repeat(20_000)]],
    ['python3 scripts/run.py "say \\"hi\\" \\n"', [run, 'say "hi" \\n']],
  ])('%j is a script and its arguments', (command, expected) => {
    expect(ran(command)).toEqual(expected);
  });

  test.each<[string, string]>([
    ['', 'it names no script'],
    ['python3', 'it names no script'],
    ['python3 -c "print(1)"', '"-c" is an option of python3'],
    ['python3 -', '"-" is an option of python3'],
    ['python3 -ic scripts/run.py', '"-ic" is an option of python3'],
    ['python3 -u -c print', '"-c" is an option of python3'],
    ['node -e 1', '"-e" is an option of node'],
    ['node -r ./x tools/build.ts', '"-r" is an option of node'],
    ['node --import=./x tools/build.ts', '"--import=./x" is an option of node'],
    ['bash -c scripts/tool.sh', '"-c" is an option of bash'],
    ['uv run --with requests scripts/run.py', '"--with" is an option of uv'],
    ['uv run --no-project --with requests scripts/run.py', '"--with" is an option of uv'],
    ['uv run --python 3.12 scripts/run.py', '"--python" is an option of uv'],
    ['uv run --no-project -m http.server', '"-m" is an option of uv'],
    ['uv pip install x', 'of uv, only "uv run"'],
    ['uvx ruff scripts/run.py', 'of uvx, only "uvx python"'],
    ['npx cowsay scripts/run.py', 'of npx, only "npx tsx"'],
    ['npx tsx -e 1', '"-e" is an option of tsx'],
    ['A=b python3 scripts/run.py', 'it sets a variable'],
    ['env A=b python3 scripts/run.py', 'it sets a variable'],
    ['cd kit && A=b python3 scripts/run.py', 'it sets a variable'],
    ['env -S python3 scripts/run.py', 'it names no script'],
    ['cd ../.. && python3 scripts/run.py', 'cd may only name'],
    ['cd /workspace && python3 scripts/run.py', 'cd may only name'],
    ['cd && python3 scripts/run.py', 'cd may only name'],
    ['true && python3 scripts/run.py', '"&&" may only follow a cd'],
    ['cd kit && cd kit && scripts/run.py', '& is for a shell'],
    ['cd kit; python3 scripts/run.py', '; is for a shell'],
    ['python3 scripts/run.py | tee x', '| is for a shell'],
    ['python3 scripts/run.py > x', '> is for a shell'],
    ['python3 scripts/run.py < x', '< is for a shell'],
    ['python3 scripts/run.py &', '& is for a shell'],
    ['python3 scripts/run.py && rm x', '"&&" may only follow a cd'],
    ['python3 scripts/run.py `id`', '` is for a shell'],
    ['python3 scripts/run.py $(id)', '$ is for a shell'],
    ['python3 scripts/run.py "$(id)"', 'a shell would replace $'],
    ['python3 scripts/run.py $HOME', '$ is for a shell'],
    ['python3 scripts/run.py *.csv', '* is a pattern'],
    ['python3 scripts/run.py ~/x', '~ means something else'],
    ['python3 scripts/run.py ~/.claude/skills/other/x', '~ means something else'],
    ['python3 scripts/run.py "~/x" "a$HOME/skills/kit"', 'a shell would replace $'],
    ['python3 $HOME/scripts/run.py', '$ is for a shell'],
    ['python3 scripts/run.py <file>', '<file> stands for a value'],
    ['python3 scripts/run.py [--dry-run]', '[--dry-run] stands for a value'],
    ['python3 scripts/run.py {a,b}.csv', '{ is a pattern'],
    ['python3 scripts/run.py {1..3}', '{ is a pattern'],
    ['# the first\npython3 scripts/run.py\n# the second\nid', 'it has several lines'],
    ['python3 scripts/run.py\nid', 'it has several lines'],
    ['python3 scripts/run.py a\0b', 'it has a control character'],
    ['python3 scripts/run.py \u001b[2J', 'it has a control character'],
    ['python3 scripts/run.py "', 'a " is not closed'],
    ["python3 scripts/run.py '", "a ' is not closed"],
    ['python3 scripts/run.py \\', 'it ends with a backslash'],
    ['python3 /workspace/run.py', 'acme:kit has no script "/workspace/run.py"'],
    ['python3 /workspace/skills/kit/scripts/run.py', 'acme:kit has no script'],
    ['python3 /engineering/kit/scripts/run.py', 'acme:kit has no script'],
    ['python3 a/b/kit/scripts/run.py', 'acme:kit has no script'],
    ['python3 scripts/../scripts/run.py', 'acme:kit has no script'],
    ['python3 /etc/passwd', 'acme:kit has no script "/etc/passwd"'],
    ['python3 scripts/run．py', 'acme:kit has no script'],
    ['python3 ѕcripts/run.py', 'acme:kit has no script'],
    ['python3\u00a0scripts/run.py', 'acme:kit has no script'],
    ['python3 scripts\\\\run.py', 'acme:kit has no script'],
    ['node scripts/run.py', '"scripts/run.py" runs with python3, not with node'],
    ['python3 scripts/tool.sh', '"scripts/tool.sh" runs with bash, not with python3'],
    ['python3 bin/compiled', '"bin/compiled" is a compiled program; leave python3 out'],
    ['python3 -m http.server', 'acme:kit has no module "http.server"'],
    ['cd scripts && python3 -m pkg.report', "a module is called from the skill's folder"],
    ['git status', 'acme:kit has no script "git"'],
    [`scripts/run.py ${'a '.repeat(1000)}`, 'it has more than 1000 words'],
  ])('%j is more than a script, and is refused with the reason', (command, reason) => {
    expect(() => ran(command)).toThrow(reason);
  });

  const command = (text: string) => `acme:kit does not run the command ${JSON.stringify(text)}: `;
  const rule = 'A command is one script of the skill and its arguments, not code.';
  test.each<[string, string, string]>([
    [
      'python3 scripts/run.py a | jq .',
      "| is for a shell, and none runs; quote it with ' if it belongs to a word",
      'Send: scripts/run.py ARGUMENTS',
    ],
    [
      'bash "$(dirname "$0")/scripts/tool.sh"',
      `a shell would replace $ within "; use ' in place of "`,
      'Send: scripts/tool.sh ARGUMENTS',
    ],
    [
      'cd x && python3 "two words.py"',
      'cd may only name the skill\'s folder or a folder in it, not "x"',
      'acme:kit has scripts/run.py, scripts/two words.py, scripts/tool.sh, tools/build.ts, bin/compiled',
    ],
    [
      'python3 -c "import scripts"',
      '"-c" is an option of python3, and a command takes none that chooses code, packages or a version',
      'acme:kit has scripts/run.py, scripts/two words.py, scripts/tool.sh, tools/build.ts, bin/compiled',
    ],
  ])('the refusal of %j names the script to call', (text, why, right) => {
    expect(() => ran(text)).toThrow(`${command(text)}${why}. ${rule} ${right}`);
  });

  test('never runs what is no program of the skill, whatever it has', () => {
    const words = fc.constantFrom(
      'python3',
      '-u',
      '-m',
      '-c',
      'cd',
      '&&',
      'uv',
      'run',
      '--no-project',
      'npx',
      'tsx',
      'env',
      'A=b',
      '..',
      '/skill',
      ';',
      '"',
      'scripts/run.py',
      'kit/../x',
      '/workspace/run.py',
      '${SKILL_DIR}/scripts/run',
      "'",
      '\\',
      '$x',
      '\n',
      '`',
    );
    const known = new Set([...paths, 'pkg.report', 'scripts.run']);
    fc.assert(
      fc.property(fc.array(fc.oneof(words, fc.string({ maxLength: 4 }))), (parts) => {
        try {
          expect(known).toContain(ran(parts.join(' '))[0]);
        } catch (error) {
          expect(error).toMatchObject({ code: 'INPUT_INVALID' });
        }
      }),
      { numRuns: 300 },
    );
  });
});

test('a command cannot be combined with a script or arguments', () => {
  for (const more of [{ script: 'run.py' }, { args: [] }])
    expect(() => calledScript(skill, { command: 'scripts/run.py', ...more })).toThrow(
      'send either "command", or "script" and "args", not both',
    );
});

test('a command calls a named script of the sidecar by its name or its file', () => {
  const sidecar = 'run: { runtime: process, scripts: { go: { entry: scripts/run.py, protocol: command } } }';
  const named = someSkill('kit', { scripts, files, sidecar });
  for (const command of ['go --a', 'python3 scripts/run.py --a', 'uv run go --a']) {
    const { script, args } = calledScript(named, { command });
    expect([asToolSkill(named, script)?.requestedBy, args]).toEqual(['sidecar', ['--a']]);
  }
});
