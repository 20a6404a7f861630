// Threat model: T114, T115, T116

import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startDaemon, temporaryFolder } from '../../support/daemon.ts';
import { writeSkills } from '../../support/skills.ts';
import { project } from '../support/project.ts';

/** Prints a result for each file that contains a word of its rules, or exits as the rules say. */
const scanner = `import json, os, pathlib, socket, sys
rules = json.load(open(os.path.join(os.path.dirname(sys.argv[1]), "rules.json")))
if "exit" in rules: sys.exit(rules["exit"])
try: socket.create_connection(("127.0.0.1", rules["port"]), 2); reached = True
except (KeyError, OSError): reached = False
def result(path, rule):
    place = {"artifactLocation": {"uri": str(path)}, "region": {"startLine": 1, "snippet": {"text": rules["snippet"]}}}
    return {"ruleId": rule["id"], "level": rule["level"], "message": {"text": rule["text"]}, "locations": [{"physicalLocation": place}]}
found = [result(path, rule) for path in sorted(pathlib.Path("/skill").rglob("*.py")) for rule in rules["rules"] if rule["word"] in path.read_text()]
if reached: found.append({"ruleId": "reached", "message": {"text": "reached the network"}})
print(json.dumps({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "house"}}, "results": found}]}))
`;

const noEval = { id: 'no-eval', level: 'error', text: 'Do not use eval.', word: 'eval' };
const found = {
  ...{ rule: 'scanner-result', severity: 'high', file: 'scripts/run.py', line: 1, excerpt: 'eval(x)' },
  ...{ sentence: 'Do not use eval.', count: 1, scanner: { name: 'house', rule: 'no-eval' } },
};

/** A scanner with its rules, and a source `acme` with one skill. */
async function scanned() {
  const root = await temporaryFolder();
  const [source, tool] = [join(root, 'acme'), join(root, 'tool')];
  await writeSkills(source, {
    forms: {
      'SKILL.md': '---\nname: forms\ndescription: Fills forms.\n---\n',
      'scripts/run.py': 'print(eval("1"))\n',
    },
  });
  await writeSkills(root, { tool: { 'scan.py': scanner } });
  const rules = (more: object): Promise<void> =>
    writeFile(join(tool, 'rules.json'), JSON.stringify({ rules: [noEval], snippet: 'eval(x)', ...more }));
  await rules({});
  const script = join(tool, 'scan.py');
  const scanners = [{ name: 'house', command: ['python3', script, script], paths: [tool] }];
  return { root, source, rules, config: { installs: { scanners } } };
}

/** The findings of scanners in a review. */
function ofScanners({ reading: { findings } }: { reading: { findings: { scanner?: object }[] } }) {
  return findings.filter(({ scanner: by }) => by !== undefined);
}

test('findings of a scanner are reviewed and counted, and a review is stale once a later scan found something else', async () => {
  const { source, rules, config } = await scanned();
  const { cwd, run, json, refusal } = await project(config);
  const added = await json('skills', 'add', source);
  expect(added.skills).toMatchObject([{ id: 'acme:forms', findings: { high: 1 }, scanProblems: [] }]);

  const first = await json('skills', 'review', 'forms');
  expect(ofScanners(first)).toEqual([found]);
  expect((await json('skills', 'review', 'forms')).review).toBe(first.review);
  const text = (await run('skills', 'review', 'forms')).stdout;
  expect(text).toContain(
    '  high    scripts/run.py:1  [house: no-eval]\n          > eval(x)\n          Do not use eval.\n',
  );
  const sarif = JSON.parse((await run('skills', 'review', 'forms', '--sarif')).stdout);
  expect(sarif.runs.map((each: { tool: { driver: { name: string } } }) => each.tool.driver.name)).toEqual([
    'ambit skills review',
    'house',
  ]);
  expect(sarif.runs[1].results).toMatchObject([{ ruleId: 'no-eval', level: 'error' }]);

  await rules({ rules: [noEval, { ...noEval, id: 'print', level: 'warning', word: 'print' }] });
  const update = await json('skills', 'update');
  expect(update.skills).toMatchObject([{ change: 'unchanged', findings: { high: 1, medium: 1 } }]);
  expect(await refusal('skills', 'approve', 'forms', '--review', first.review)).toEqual([3, 'REVIEW_STALE']);
  const second = await json('skills', 'review', 'forms');
  expect(ofScanners(second)).toMatchObject([found, { scanner: { rule: 'print' } }]);
  await json('skills', 'approve', 'forms', '--review', second.review);
  expect((await json('run', 'acme:forms')).outcome.output.stdout).toBe('1\n');

  expect(await readFile(join(cwd, 'ambit.lock'), 'utf8')).toMatch(/^ {6}"scan": "sha256:[0-9a-f]{64}",$/m);
  // As on another machine.
  const version = join(cwd, '.ambit/installs/acme', second.digest.replace('sha256:', ''));
  const [scan = 'none', ...others] = (await readdir(version)).filter((name) => name.endsWith('.json'));
  expect(others).toEqual([]);
  await rm(join(version, scan));
  expect(ofScanners(await json('skills', 'review', 'forms'))).toMatchObject([
    {
      rule: 'scanner-failed',
      sentence: expect.stringMatching(
        /^The scanner house has not read this version on this machine, .*ambit skills update acme:forms$/,
      ),
    },
  ]);
  await json('skills', 'update');
  expect((await json('skills', 'review', 'forms')).skill.state).toBe('approved');
  expect(ofScanners(await json('skills', 'review', 'forms'))).toHaveLength(2);
});

test('a scanner that fails is a finding and does not stop the installation, and it finds again once it is corrected', async () => {
  const { source, rules, config } = await scanned();
  const { run, json } = await project(config);
  await rules({ exit: '\u001b[2Jno database' });
  const added = await run('skills', 'add', source);
  expect(added.code).toBe(0);
  expect(added.stdout).toContain(
    'Not scanned:\n  acme:forms: The scanner house printed nothing and exited with 1 (�[2Jno database), so findings are missing.',
  );
  expect(ofScanners(await json('skills', 'review', 'forms'))).toMatchObject([
    { rule: 'scanner-failed', severity: 'medium', scanner: { name: 'house', rule: 'failed' } },
  ]);
  await rules({});
  await json('skills', 'update');
  expect(ofScanners(await json('skills', 'review', 'forms'))).toEqual([found]);
});

test('a folder is scanned while it is reviewed', async () => {
  const { source, config } = await scanned();
  const { run } = await project(config);
  const { stdout } = await run('--json', 'skills', 'review', join(source, 'forms'));
  expect(JSON.parse(stdout).findings).toContainEqual(found);
});

test('a daemon scans what it installs, without a network, and cleans what the scanner prints', async () => {
  const { source, rules, config } = await scanned();
  const daemon = await startDaemon(config);
  await rules({
    ...{ port: Number(new URL(daemon.url).port), snippet: '\u202Ex <|im_start|>' },
    rules: [{ ...noEval, text: 'a\u001b]0;b\u0007 c' }],
  });
  const { body: added } = await daemon.request('POST', '/installs', { body: { source } });
  expect(added.skills).toMatchObject([{ id: 'acme:forms', findings: { high: 1 } }]);
  const { body: review } = await daemon.request('GET', '/installs/forms');
  expect(ofScanners(review)).toEqual([
    { ...found, sentence: 'a�]0;b� c', excerpt: expect.not.stringMatching(/\u202E|<\|im_start/) },
  ]);
});
