import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sharedDaemon } from '../../support/daemon.ts';
import { localServer } from '../../support/local-server.ts';
import { writeSkills } from '../../support/skills.ts';

/** A published skill as its author wrote it: no sidecar, a script with a module and a file beside it. */
const report = {
  'SKILL.md': '---\nname: report\ndescription: Reports on sales.\n---\nRun scripts/report.py FILE.\n',
  'scripts/report.py': `#!/usr/bin/env python3
import argparse, csv, json, sys
from pathlib import Path
from totals import total

parser = argparse.ArgumentParser(description="Reports on sales.")
parser.add_argument("file", type=Path)
args = parser.parse_args()
rates = json.loads((Path(__file__).parent / "rates.json").read_text())
with open(args.file, newline="") as file:
    rows = list(csv.DictReader(file))
Path("out").mkdir()
Path("out/report.txt").write_text(f"total {total(rows, rates)}\\n")
print(f"{len(rows)} rows", file=sys.stderr)
print("done")
`,
  'scripts/totals.py':
    'def total(rows, rates):\n    return sum(int(row["amount"]) * rates[row["currency"]] for row in rows)\n',
  'scripts/rates.json': '{"EUR": 1, "USD": 2}',
  'scripts/run.sh': '#!/bin/sh\necho ran\n',
};

const sales = { path: 'sales.csv', text: 'amount,currency\n3,EUR\n4,USD\n' };

const requests: { method: string; url: string; body: string; token: string }[] = [];
const { origin: rule } = await localServer((request, response) => {
  const { method = '', url = '', headers } = request;
  const parts: string[] = [];
  request.setEncoding('utf8').on('data', (part: string) => parts.push(part));
  request.on('end', () => {
    requests.push({ method, url, body: parts.join(''), token: String(headers['x-token']) });
    if (url === '/moved') response.writeHead(302, { location: '/new' });
    response.end(url === '/json' ? '{"a": [1, "ü"]}' : `hello ${url}`);
  });
});

const reader = `import ambit, json, sys, urllib.error, urllib.request

given = json.load(sys.stdin)
calls = (ambit.state_get("calls") or 0) + 1
ambit.state_set("calls", calls)
sent = ambit.http_request("${rule}/json", method="POST", headers={"x-token": "t"}, body="posted")
with urllib.request.urlopen("${rule}/moved") as answer:
    moved = [answer.status, answer.url, answer.read().decode()]
try:
    urllib.request.urlopen("http://other.example/")
    refused = None
except urllib.error.URLError as error:
    refused = str(error.reason)
ambit.progress(1, 2, "half")
print(json.dumps({"calls": calls, "sent": [sent.status, sent.json()], "moved": moved, "refused": refused}))
`;

const shared = sharedDaemon(async (skills) => {
  const [untrusted, verified] = [join(skills, 'untrusted'), join(skills, 'verified')];
  const capabilities = { network: [rule], state: 'write' };
  await writeSkills(untrusted, {
    report,
    linked: {
      'scripts/works.py': 'import os\nprint(sorted(os.listdir(os.path.dirname(__file__))))\n',
      'scripts/opens.py': 'import link\n',
    },
  });
  await symlink('/etc/hostname', join(untrusted, 'linked/scripts/link.py'));
  await writeSkills(verified, {
    reader: {
      'ambit.yaml': JSON.stringify({ run: { runtime: 'wasm', entry: 'main.py', capabilities } }),
      'main.py': reader,
    },
  });
  return {
    skills: [
      { path: untrusted, tier: 'untrusted' },
      { path: verified, tier: 'verified' },
    ],
    grants: { reader: capabilities },
  };
});

describe('Python in WebAssembly', () => {
  test('a script of an untrusted skill runs unmodified, and a shell script beside it does not', async () => {
    const daemon = shared();
    const call = { script: 'report.py', args: ['sales.csv'], files: [sales] };
    const { body } = await daemon.execute('report', call);
    expect(body).toMatchObject({
      outcome: { status: 'succeeded', output: { exitCode: 0, stdout: 'done\n', stderr: '2 rows\n' } },
      files: [{ path: 'out/report.txt', change: 'created', text: 'total 11\n' }],
      usage: { fuelConsumed: expect.any(Number) },
    });
    const again = await daemon.execute('report', call);
    expect(again.body.usage.fuelConsumed).toBe(body.usage.fuelConsumed);

    const help = await daemon.execute('report', { script: 'report.py', args: ['--help'] });
    expect(help.body.outcome.output.stdout).toBe(
      'usage: report.py [-h] file\n\nReports on sales.\n\npositional arguments:\n  file\n\noptions:\n  -h, --help  show this help message and exit\n',
    );
    const failed = await daemon.execute('report', { script: 'report.py', args: ['missing.csv'] });
    expect(failed.body.outcome).toMatchObject({
      status: 'failed',
      failure: { exitCode: 1 },
      stderr: expect.stringMatching(
        /^Traceback \(most recent call last\):\n {2}File "\/skill\/scripts\/report\.py", line 10, in <module>\n(?:.*\n)*FileNotFoundError: \[Errno 2\] No such file or directory: 'missing\.csv'\n$/,
      ),
    });
    const shell = await daemon.execute('report', { script: 'run.sh' });
    expect([shell.status, shell.body.code]).toEqual([403, 'CAPABILITY_DENIED']);
  });

  test('a symlink among the files of a skill is an error only for the script that opens it', async () => {
    const daemon = shared();
    const works = await daemon.execute('linked', { script: 'works.py' });
    expect(works.body.outcome).toEqual({
      status: 'succeeded',
      output: { exitCode: 0, stdout: "['link.py', 'opens.py', 'works.py']\n", stderr: '' },
    });
    const opens = await daemon.execute('linked', { script: 'opens.py' });
    expect(opens.body.outcome).toMatchObject({
      status: 'failed',
      failure: { exitCode: 1 },
      stderr: expect.stringMatching(/\nOSError: \[Errno 5\] I\/O error: '\/skill\/scripts\/link\.py'\n$/),
    });
  });

  test('the ambit module and urllib reach the granted host and no other, and state persists', async () => {
    const daemon = shared();
    const answers = [
      await daemon.execute('reader', { input: {} }),
      await daemon.execute('reader', { input: {} }),
    ];
    expect(answers.map(({ body }) => body.outcome)).toMatchObject(
      [1, 2].map((calls) => ({
        status: 'succeeded',
        output: {
          calls,
          sent: [200, { a: [1, 'ü'] }],
          moved: [200, `${rule}/new`, 'hello /new'],
          refused: expect.stringContaining('other.example'),
        },
      })),
    );
    expect(requests.slice(0, 3)).toEqual([
      { method: 'POST', url: '/json', body: 'posted', token: 't' },
      { method: 'GET', url: '/moved', body: '', token: 'undefined' },
      { method: 'GET', url: '/new', body: '', token: 'undefined' },
    ]);
  });
});
