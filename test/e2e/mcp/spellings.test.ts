// Threat model: T387, T453, T454
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what instructions write

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withKey } from '../../../packages/server/src/testing/daemon-keys.ts';
import { sharedDaemon } from '../../support/daemon.ts';
import { laterRecords } from '../../support/later-records.ts';
import { writeSkills } from '../../support/skills.ts';
import { httpClient, textOf } from '../support/mcp-client.ts';

const python = (path: string) => `import sys\nprint('|'.join([${JSON.stringify(path)}, *sys.argv[1:]]))\n`;
const node = (path: string) =>
  `console.log([${JSON.stringify(path)}, ...process.argv.slice(2)].join('|'));\n`;
const bash = (path: string) => `#!/bin/bash\nIFS='|'; set -- ${path} "$@"; echo "$*"\n`;

/** Each script prints its path and its arguments. */
const paths = [
  ...['scripts/office/convert.py', 'scripts/comment.py', 'scripts/lookup.py', 'scripts/with_server.py'],
  ...['generator.py', 'tools/client.py', 'scripts/bundle.sh', 'scripts/info.sh', 'check.sh'],
  ...['scripts/video.js', 'scripts/fetch.cjs', 'scripts/register.ts', 'desk.js'],
];
const programs = paths.map((path) => {
  const write = path.endsWith('.py') ? python : path.endsWith('.sh') ? bash : node;
  return [path, write(path)] as const;
});

const skillFile = (name: string) =>
  `---\nname: ${name}\ndescription: Works on documents.\n---\nRun \`python3 {baseDir}/run.py\`.\n`;

/** A skill whose sidecar describes its runs, one of which asks for a host that is not granted. */
const office = {
  'SKILL.md': skillFile('office'),
  'ambit.yaml': JSON.stringify({
    run: {
      runtime: 'process',
      entry: 'run.py',
      capabilities: { exec: ['python3'] },
      scripts: {
        send: { entry: 'send.py', capabilities: { exec: ['python3'], network: ['mail.example:25'] } },
      },
    },
  }),
  'run.py': 'print(1)\n',
  'send.py': 'print(2)\n',
};

const daemon = sharedDaemon(async (path) => {
  const strange = join(path, '../strange');
  await writeSkills(path, { desk: Object.fromEntries(programs), office });
  await writeSkills(strange, { stranger: { 'SKILL.md': skillFile('stranger'), 'run.py': 'print(1)\n' } });
  return {
    bundledSkills: false,
    skills: [
      { path, tier: 'local' },
      { path: strange, tier: 'untrusted' },
    ],
    grants: { desk: { network: ['api.example:443'], exec: ['git'] } },
  };
});

/** Commands as published SKILL.md files have them, with names of this test, and what runs. */
const run: Record<string, string> = {
  'python scripts/office/convert.py --headless --to pdf report.docx':
    'scripts/office/convert.py|--headless|--to|pdf|report.docx',
  'bash scripts/bundle.sh': 'scripts/bundle.sh',
  'python scripts/with_server.py --server "npm run dev" --port 5173 -- python check.py':
    'scripts/with_server.py|--server|npm run dev|--port|5173|--|python|check.py',
  'python scripts/with_server.py \\\n  --server "cd api && python server.py" --port 3000 \\\n  -- python check.py':
    'scripts/with_server.py|--server|cd api && python server.py|--port|3000|--|python|check.py',
  'python scripts/comment.py unpacked/ 1 "Reply text" --parent 0  # reply to comment 0':
    'scripts/comment.py|unpacked/|1|Reply text|--parent|0',
  'python scripts/comment.py unpacked/ 0 "With &amp; and &#x2019;"':
    'scripts/comment.py|unpacked/|0|With &amp; and &#x2019;',
  "./scripts/video.js transcript --url 'https://…' --timestamps":
    'scripts/video.js|transcript|--url|https://…|--timestamps',
  "./scripts/video.js formats --url 'https://…' -- -v": 'scripts/video.js|formats|--url|https://…|--|-v',
  'python3 "$CODEX_HOME/skills/desk/scripts/lookup.py" search "next.js"': 'scripts/lookup.py|search|next.js',
  'python3 ~/.codex/skills/desk/scripts/lookup.py context "/acme/site" "app router"':
    'scripts/lookup.py|context|/acme/site|app router',
  'python3 scripts/lookup.py': 'scripts/lookup.py',
  'scripts/info.sh --features': 'scripts/info.sh|--features',
  'python3 scripts/lookup.py --account "+386..." --to "Name" --text "Hey ..."':
    'scripts/lookup.py|--account|+386...|--to|Name|--text|Hey ...',
  'npx tsx {baseDir}/scripts/register.ts register --json agent.json':
    'scripts/register.ts|register|--json|agent.json',
  'bash check.sh https://example.com': 'check.sh|https://example.com',
  '{baseDir}/scripts/info.sh "query" "Notes" "/tmp"  # interactive select then export':
    'scripts/info.sh|query|Notes|/tmp',
  'node scripts/fetch.cjs --id 973 --output details.json': 'scripts/fetch.cjs|--id|973|--output|details.json',
  'python3 ~/Studio/00_SYSTEM/skills/desk/generator.py \\\n  --name "P.A.C. Plumbing" \\\n  --save':
    'generator.py|--name|P.A.C. Plumbing|--save',
  'node /root/.agent/workspace/skills/desk/desk.js extract "链接"': 'desk.js|extract|链接',
  'python3 skills/desk/scripts/lookup.py list': 'scripts/lookup.py|list',
  'uv run {baseDir}/scripts/lookup.py search "query" --format json # JSON output':
    'scripts/lookup.py|search|query|--format|json',
  'python3 /mnt/skills/user/desk/scripts/lookup.py search-records app1 "Contacts" "smith@example.com"':
    'scripts/lookup.py|search-records|app1|Contacts|smith@example.com',
  'bash SKILL_DIR/scripts/info.sh register --name my_agent': 'scripts/info.sh|register|--name|my_agent',
  'bash "{baseDir}/scripts/info.sh" --hours 24 --sources arxiv,hf':
    'scripts/info.sh|--hours|24|--sources|arxiv,hf',
  'node {SKILL_DIR}/scripts/video.js profile': 'scripts/video.js|profile',
  'cd ~/.agent/skills/desk && python3 generator.py "Your question"': 'generator.py|Your question',
  'python3 {{baseDir}}/scripts/lookup.py create \'{"type":"robot","tags":["a b"]}\'':
    'scripts/lookup.py|create|{"type":"robot","tags":["a b"]}',
};

/** Commands of the same files that are more than a script, and the script to call. */
const refused: Record<string, string> = {
  'bash scripts/bundle.sh <project-name>': 'scripts/bundle.sh',
  'python scripts/lookup.py <path/to/folder> --runner local': 'scripts/lookup.py',
  'bash /root/.agent/workspace/skills/desk/scripts/info.sh <command> [options]': 'scripts/info.sh',
  'cd <project_dir> && uv run --with Package python3 scripts/lookup.py stop': 'scripts/lookup.py',
  'bash "$(dirname "$0")/scripts/info.sh" "MAGNET_URL"': 'scripts/info.sh',
  'PYTHONPATH={baseDir}/tools python3 {baseDir}/tools/client.py list': 'tools/client.py',
  'python scripts/lookup.py customers.json --format json > results.json': 'scripts/lookup.py',
  "python3 scripts/lookup.py summary --json | jq '.total'": 'scripts/lookup.py',
  'source ~/.agent/.env && python3 scripts/lookup.py swap': 'scripts/lookup.py',
  './scripts/info.sh --format csv enriched/*.json': 'scripts/info.sh',
  'node --experimental-strip-types {baseDir}/scripts/register.ts init': 'scripts/register.ts',
  'python3 generator.py 7 ~/notes/': 'generator.py',
  'python3 {baseDir}/scripts/lookup.py read --key $API_KEY': 'scripts/lookup.py',
};

test('40 spellings of published instructions run over MCP, or are refused and recorded with the script to call', async () => {
  const records = await laterRecords(daemon());
  const client = await httpClient(daemon());
  const call = async (command: string) => {
    const arguments_ = { name: 'desk', command };
    return textOf(await client.callTool({ name: 'run_skill_script', arguments: arguments_ })).trimEnd();
  };
  const all = async (commands: string[], answer: (text: string) => string | undefined) =>
    Object.fromEntries(
      await Promise.all(commands.map(async (each) => [each, answer(await call(each))] as const)),
    );
  expect([Object.keys(run).length, Object.keys(refused).length]).toEqual([27, 13]);
  expect(await all(Object.keys(run), (text) => text)).toEqual(run);
  const right = /^run_skill_script did not run \(INPUT_INVALID\): .* Send: (\S+) ARGUMENTS$/s;
  expect(await all(Object.keys(refused), (text) => right.exec(text)?.[1] ?? text)).toEqual(refused);
  const found = await records();
  expect([
    found.filter(({ outcome }) => outcome === 'succeeded').length,
    found.filter(({ outcome }) => outcome === 'denied').length,
  ]).toEqual([27, 13]);
});

/** The lines of the guide that `load_skill` adds to the instructions of a skill. */
const guideIn = (loaded: string) =>
  (/<\/skill_content>\n<skill_guide>\n(.*)\n<\/skill_guide>$/s.exec(loaded)?.[1] ?? loaded).split('\n');

test('load_skill says how to run the scripts, which there are, where files are, and what the skill may use and lacks', async () => {
  const client = await httpClient(daemon());
  const guide = async (name: string, from = client) =>
    guideIn(textOf(await from.callTool({ name: 'load_skill', arguments: { name } })));
  expect(await guide('desk')).toEqual([
    'To run a script: run_skill_script with the name desk and a command of these instructions, such as "bash check.sh ARGUMENTS". One script a call: no shell, and no code of your own.',
    'Scripts: check.sh, desk.js, generator.py, scripts/bundle.sh, scripts/comment.py, scripts/fetch.cjs, scripts/info.sh, scripts/lookup.py and 5 more.',
    'Files: /workspace is its working folder, with the "files" of the call or the "workspace" that you name. /skill has its own files, read-only.',
    'It may use: bash, the usual shell programs, git, node, python3, network api.example:443. Nothing else: no other program, host or file of this machine.',
  ]);
  expect(await guide('office')).toEqual([
    'To call it, use the tool office.',
    'To run an entry: run_skill_script with the name office, the script, and its input or args.',
    'Entries, as "script": send. list_skills has their inputs.',
    'It may use: python3. Nothing else: no other program, host or file of this machine.',
    'It lacks network mail.example:25, so send does not run. A person decides that (ambit skills review office).',
  ]);
  expect(await guide('stranger')).toEqual([
    'Its scripts do not run here. A person decides that (ambit skills review stranger).',
  ]);
  const reader = await withKey(daemon(), 'reader', { scopes: ['skills:read'] });
  expect(await guide('desk', await httpClient(reader))).toEqual([
    'Your key can read this skill, and cannot run its scripts. A person decides that.',
  ]);
});
