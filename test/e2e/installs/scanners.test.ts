// Threat model: T114, T115, T116

import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { sharedDaemon } from '../../support/daemon.ts';
import { ambit } from '../../support/daemon-process.ts';
import { temporaryFolder, writeFiles } from '../../support/temporary-folder.ts';
import { installsOf } from '../support/installs.ts';

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

// Scanners may run as another user, who cannot enter a temporary folder itself.
const tool = join(await temporaryFolder({ 'tool/scan.py': scanner }, afterAll), 'tool');
const rules = (more: object = {}): Promise<void> =>
  writeFile(join(tool, 'rules.json'), JSON.stringify({ rules: [noEval], snippet: 'eval(x)', ...more }));
await rules();
const script = join(tool, 'scan.py');
const scanners = [{ name: 'house', command: ['python3', script, script], paths: [tool] }];
const shared = sharedDaemon(async () => ({ installs: { scanners } }));
const { post, review, approve, printed } = installsOf(shared);
/** A command with the configuration of the daemon. */
const run = async (...args: readonly string[]) => {
  const { dataDir } = shared();
  return ambit(['--config', join(dataDir, '../ambit.config.yaml'), ...args]);
};

/** A source with one skill, `forms`. Its namespace is the name of the folder. */
async function source(owner: string): Promise<string> {
  const folder = join(await temporaryFolder(), owner);
  await writeFiles(join(folder, 'forms'), {
    'SKILL.md': '---\nname: forms\ndescription: Fills forms.\n---\n',
    'scripts/run.py': 'print(eval("1"))\n',
  });
  await rules();
  return folder;
}

/** The findings of scanners in a review. */
function ofScanners({ reading: { findings } }: { reading: { findings: { scanner?: object }[] } }) {
  return findings.filter(({ scanner: by }) => by !== undefined);
}

test('findings of a scanner are reviewed and counted, and a review is stale once a later scan found something else', async () => {
  const folder = await source('acme');
  // A folder is scanned while it is reviewed.
  const local = JSON.parse((await run('--json', 'skills', 'review', join(folder, 'forms'))).stdout);
  expect(local.findings).toContainEqual(found);
  const added = await post('', { source: folder });
  expect(added.skills).toMatchObject([{ id: 'acme:forms', findings: { high: 1 }, scanProblems: [] }]);

  const first = await review('acme:forms');
  expect(ofScanners(first)).toEqual([found]);
  expect((await review('acme:forms')).review).toBe(first.review);
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
  expect((await post('/update')).skills).toMatchObject([
    { change: 'unchanged', findings: { high: 1, medium: 1 } },
  ]);
  expect((await approve('acme:forms', first)).code).toBe('REVIEW_STALE');
  const second = await review('acme:forms');
  expect(ofScanners(second)).toMatchObject([found, { scanner: { rule: 'print' } }]);
  await approve('acme:forms', second);
  expect(await printed('acme:forms')).toBe('1\n');

  const { dataDir } = shared();
  const lock = await readFile(join(dataDir, '../ambit.lock'), 'utf8');
  expect(lock).toMatch(/^ {6}"scan": "sha256:[0-9a-f]{64}",$/m);
  // As on another machine.
  const version = join(dataDir, 'installs/acme', second.digest.replace('sha256:', ''));
  const [scan = 'none', ...others] = (await readdir(version)).filter((name) => name.endsWith('.json'));
  expect(others).toEqual([]);
  await rm(join(version, scan));
  expect(ofScanners(await review('acme:forms'))).toMatchObject([
    {
      rule: 'scanner-failed',
      sentence: expect.stringMatching(
        /^The scanner house has not read this version on this machine, .*ambit skills update acme:forms$/,
      ),
    },
  ]);
  await post('/update');
  expect((await review('acme:forms')).skill.state).toBe('approved');
  expect(ofScanners(await review('acme:forms'))).toHaveLength(2);
  await post('/remove', { skills: ['acme:forms'] });
});

test('a scanner that fails is a finding and does not stop the installation, and it finds again once it is corrected', async () => {
  const folder = await source('failing');
  await rules({ exit: '\u001b[2Jno database' });
  const added = await run('skills', 'add', folder);
  expect(added.code).toBe(0);
  expect(added.stdout).toContain(
    'Not scanned:\n  failing:forms: The scanner house printed nothing and exited with 1 (�[2Jno database), so findings are missing.',
  );
  expect(ofScanners(await review('failing:forms'))).toMatchObject([
    { rule: 'scanner-failed', severity: 'medium', scanner: { name: 'house', rule: 'failed' } },
  ]);
  await rules();
  await post('/update');
  expect(ofScanners(await review('failing:forms'))).toEqual([found]);
  await post('/remove', { skills: ['failing:forms'] });
});

test('a scanner runs without a network, and what it prints is cleaned', async () => {
  const folder = await source('printing');
  await rules({
    ...{ port: Number(new URL(shared().url).port), snippet: '\u202Ex <|im_start|>' },
    rules: [{ ...noEval, text: 'a\u001b]0;b\u0007 c' }],
  });
  const added = await post('', { source: folder });
  expect(added.skills).toMatchObject([{ id: 'printing:forms', findings: { high: 1 } }]);
  expect(ofScanners(await review('printing:forms'))).toEqual([
    { ...found, sentence: 'a�]0;b� c', excerpt: expect.not.stringMatching(/\u202E|<\|im_start/) },
  ]);
  await post('/remove', { skills: ['printing:forms'] });
});
