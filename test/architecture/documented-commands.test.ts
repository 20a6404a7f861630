// Threat model: T242

import { execFile } from 'node:child_process';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { localServer } from '../support/local-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const key = `ambit_${'k'.repeat(43)}`;
const invitation = `ambit-join-${'i'.repeat(60)}`;
const code = 'c0de'.repeat(8);

test('no documented command passes a secret as an argument', async () => {
  const { folder, script } = await recordingShell();
  const blocks = pages().flatMap(shellBlocks);
  const silent: string[] = [];
  for (const { page, text } of blocks) {
    const before = recorded(folder).length;
    await run('/bin/bash', [await script(text)], { cwd: folder, env: environment(folder) }).catch(
      () => undefined,
    );
    if (recorded(folder).length === before) silent.push(`${page}: ${text}`);
  }
  const lines = recorded(folder);
  expect(lines.filter((line) => secrets.test(line))).toEqual([]);
  expect(silent.filter((block) => !/: (?:export|unset) /.test(block))).toEqual([]);
  expect(lines.filter((line) => / curl /.test(line)).length).toBeGreaterThan(7);
});

test('finds secrets that a command has as an argument', async () => {
  const { folder, script } = await recordingShell();
  const lines = [
    'curl -H "Authorization: Bearer $(cat .ambit/key)" localhost:7433/skills',
    'curl -H "Authorization: Bearer $AMBIT_KEY" localhost:7433/skills',
    'invitation=$(ambit cluster invite b); ambit cluster join "$invitation"',
    'firefox "$(ambit console)"',
    'claude mcp add ambit --header "Authorization: Bearer KEY"',
    'psql postgres://ambit:word@db.example/ambit',
  ];
  for (const line of lines)
    await run('/bin/bash', [await script(line)], { cwd: folder, env: environment(folder) });
  expect(recorded(folder).filter((line) => secrets.test(line))).toHaveLength(lines.length);
});

test('no page names a command with a secret as an argument in its text', () => {
  const commands = pages().flatMap(({ page, text }) =>
    [...text.matchAll(/`([^`\n]+)`/g)].map(([, inline = '']) => `${page}: ${inline}`),
  );
  expect(commands.length).toBeGreaterThan(1000);
  expect(
    commands.filter((command) =>
      /--(?:header|key|token|password|secret)[= ](?!FILE|file|NAME@HOST)|\bcurl\b.*Bearer|cluster join \S|:\/\/[^/\s:]+:[^/\s@]+@/.test(
        command,
      ),
    ),
  ).toEqual([]);
});

test('curl sends the key of every documented request, and no program has it among its arguments', async () => {
  const seen: { authorization: string | undefined; exposed: string[] }[] = [];
  const { port, close } = await localServer((request, response) => {
    seen.push({ authorization: request.headers.authorization, exposed: argumentsWith(key) });
    response.end('{}');
  });
  onTestFinished(close);
  const { folder } = await recordingShell();
  const requests = pages()
    .flatMap(shellBlocks)
    .filter(({ text }) => /\bcurl (?:-\S+ )*(?:-H @- )?"?(?:http:\/\/127|localhost|\$URL)/.test(text));
  expect(requests.length).toBeGreaterThan(6);
  for (const { text } of requests) {
    const line = text.replace(/(?:http:\/\/127\.0\.0\.1|localhost):743[34]/, `http://127.0.0.1:${port}`);
    await run('/bin/sh', ['-c', line], {
      cwd: folder,
      env: { ...process.env, HOME: folder, URL: `http://127.0.0.1:${port}` },
    });
  }
  expect(seen).toEqual(requests.map(() => ({ authorization: `Bearer ${key}`, exposed: [] })));
});

/** Secrets of `recordingShell`, and places of a secret in documentation. */
const secrets = new RegExp(
  [
    key,
    invitation,
    code,
    /Bearer \w/.source,
    /:\/\/[^/\s:]+:[^/\s@]+@/.source,
    /cluster join [^-\s>&|;]/.source,
  ].join('|'),
);

/**
 * A folder with a key, and bash scripts that start `record` in place of every program except `cat`, `sed`, `printf` and `echo`.
 * `record` writes its own arguments down, as the kernel shows them to other users. It prints what is a secret in the
 * output of the real program.
 */
async function recordingShell() {
  const folder = await temporaryFolder();
  const bin = join(folder, 'bin');
  await mkdir(bin);
  for (const data of ['.ambit', '.local/share/ambit/data']) {
    await mkdir(join(folder, data), { recursive: true });
    await writeFile(join(folder, data, 'key'), `${key}\n`, { mode: 0o600 });
  }
  await writeFile(join(folder, 'log'), '');
  const note = `mapfile -d '' -t words < /proc/$$/cmdline\nprintf '%s\\n' "\${words[*]//$'\\n'/ }" >> ${folder}/log`;
  await writeFile(
    join(bin, 'record'),
    `#!/bin/bash
${note}
case "$*" in
  *"cluster invite"*) echo ${invitation} ;;
  *"key create"* | *cat*key*) echo ${key} ;;
  *console*) echo "http://127.0.0.1:7433/console/#code=${code}" ;;
esac
exit 0
`,
  );
  for (const name of ['cat', 'sed', 'printf', 'echo'])
    await writeFile(join(bin, name), `#!/bin/bash\n${note}\n[[ $1 == -i* ]] || exec /bin/${name} "$@"\n`);
  for (const name of readdirSync(bin)) await chmod(join(bin, name), 0o755);
  let count = 0;
  const script = async (text: string): Promise<string> => {
    const file = join(folder, `script-${count++}`);
    // Outside of the folder, nothing is written.
    const inside = text.replaceAll(/(?<![\d&<=-])>>? ?[~\w/.$"][^\s;|&)]*/g, '> out');
    const settings = 'command_not_found_handle() { record "$@"; }\ncd() { :; }\nenable -n echo printf\n';
    await writeFile(file, `${settings}${inside}\n`);
    return file;
  };
  return { folder, script };
}

function environment(folder: string): Record<string, string> {
  return {
    PATH: join(folder, 'bin'),
    HOME: folder,
    AMBIT_KEY: key,
    KEY: key,
    ID: 'w1',
    URL: 'http://127.0.0.1:1',
  };
}

function recorded(folder: string): string[] {
  return readFileSync(join(folder, 'log'), 'utf8').split('\n').filter(Boolean);
}

/** The command lines of running programs that contain a text, as any user can read them. */
function argumentsWith(text: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        return '';
      }
    })
    .filter((line) => line.includes(text));
}

interface Page {
  page: string;
  text: string;
}

function pages(): Page[] {
  return ['*.md', 'docs/**/*.md', 'examples/*/*.md', 'packages/*/README.md']
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .filter((page) => !page.includes('node_modules'))
    .map((page) => ({ page, text: readFileSync(join(root, page), 'utf8') }));
}

/** The commands of a page: whole blocks for a shell, and lines of other blocks that begin with a program. */
function shellBlocks({ page, text }: Page): Page[] {
  const fenced = [...text.matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```$/gm)].flatMap(
    ([, indent = '', language, body = '']) => {
      const block = body.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
      if (language === 'sh' || language === 'bash') return [block];
      if (language === 'console') return [...block.matchAll(/^\$ (.+)$/gm)].map(([, line = '']) => line);
      return language === '' ? commandLines(block) : [];
    },
  );
  const outside = text.replaceAll(/^( *)```(\w*)\n[\s\S]*?^\1```$/gm, '');
  const indented = [...outside.matchAll(/(?:^ {4}.*\n)+/gm)].flatMap(([block]) =>
    commandLines(block.replaceAll(/^ {4}/gm, '')),
  );
  return [...fenced, ...indented].map((block) => ({ page, text: block }));
}

function commandLines(block: string): string[] {
  const line =
    /^(?:ambit|curl|sed|npm|npx|node|pnpm|sudo|docker|podman|kubectl|claude|codex|cosign|echo|source|git|psql|pg_\w+) (?:.*\\\n)*.*$/gm;
  return [...block.matchAll(line)].map(([found]) => found);
}
