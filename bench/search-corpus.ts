// Writes the skills of the benchmark `search` to a folder:
//
//   node bench/search-corpus.ts ANTHROPICS JSCRAIK AGENTWORKERS FOLDER
//
// The first three are Git clones, bare or not, of https://github.com/anthropics/skills,
// https://github.com/jscraik/Agent-Skills and https://github.com/AgentWorkers/skills. FOLDER belongs outside the
// project: the skills are other people's.
//
// The rule: every SKILL.md of the first two. Then, of the files skills/OWNER/NAME/SKILL.md of the third in order of the
// SHA-256 of their paths, the first 100 whose frontmatter has letters of Chinese, Japanese or Korean, because most of its
// descriptions are translated, and then those whose frontmatter has none. A skill with the name of an
// earlier one is left out, and so is a file that the clone lacks. Only the SKILL.md files are written.

import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Ambit can read 1,243 of them. */
const skillsMax = 1250;

const [anthropics, jscraik, agentWorkers, folder] = process.argv.slice(2);
if (anthropics === undefined || jscraik === undefined || agentWorkers === undefined || folder === undefined)
  throw new Error('usage: node bench/search-corpus.ts ANTHROPICS JSCRAIK AGENTWORKERS FOLDER');

const all = /^(.+\/)?SKILL\.md$/;
const translated = skillsOf(
  agentWorkers,
  '1e90d6049ff1436194cb2cd882582fccc6ae38d0',
  /^skills\/[^/]+\/[^/]+\/SKILL\.md$/,
).sort((a, b) => (hash('sha256', a.path) < hash('sha256', b.path) ? -1 : 1));
const skills = [
  ...skillsOf(anthropics, '9d2f1ae187231d8199c64b5b762e1bdf2244733d', all),
  ...skillsOf(jscraik, 'ac20606ca05431bdd089023d8c7032192fc7c33f', all),
  ...translated.filter(isEastAsian).slice(0, 100),
  ...translated.filter((skill) => !isEastAsian(skill)),
];
const byName = new Map(skills.toReversed().map((skill) => [skill.name, skill]));
const chosen = skills.filter((skill) => byName.get(skill.name) === skill).slice(0, skillsMax);
for (const { name, text } of chosen) {
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, name, 'SKILL.md'), text);
}
console.log(`${chosen.length} skills`);

interface Published {
  path: string;
  name: string;
  text: string;
}

function skillsOf(repository: string, commit: string, file: RegExp): Published[] {
  const git = (args: readonly string[], input?: string): Buffer =>
    execFileSync('git', ['-C', repository, ...args], { input, maxBuffer: 2 ** 30 });
  const paths = git(['ls-tree', '-r', '-z', '--name-only', commit])
    .toString()
    .split('\0')
    .filter((path) => file.test(path) && !path.includes('\n'));
  const printed = git(['cat-file', '--batch'], paths.map((path) => `${commit}:${path}\n`).join(''));
  let from = 0;
  return paths.flatMap((path) => {
    // `HASH blob BYTES`, a newline, the content and a newline; or `OBJECT missing` and a newline.
    const start = printed.indexOf('\n', from) + 1;
    const bytes = Number(printed.toString('utf8', from, start).split(' ').at(-1));
    from = Number.isNaN(bytes) ? start : start + bytes + 1;
    const text = Number.isNaN(bytes) ? '' : printed.toString('utf8', start, start + bytes);
    return text === '' ? [] : [{ path, name: nameOf(text, path), text }];
  });
}

function isEastAsian({ text }: Published): boolean {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(frontmatterOf(text));
}

function frontmatterOf(text: string): string {
  return text.slice(0, 4000).split('\n---', 1)[0] ?? '';
}

/** The name in the frontmatter, else the folder's name, as a valid name of a folder. */
function nameOf(text: string, path: string): string {
  const [, written = ''] = /^name:[ \t]*["']?([^"'\r\n]+)/m.exec(text.slice(0, 4000)) ?? [];
  return plain(written) || plain(path.split('/').at(-2) ?? 'root');
}

function plain(name: string): string {
  const words = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return words.replace(/^-|-$/g, '').slice(0, 64);
}
