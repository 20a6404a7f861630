// Threat model: T218

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { repository } from '../support/daemon-process.ts';
import { deciding } from '../support/deciding-commands.ts';

/** Text of these folders and files is only for a person: on the operator's terminal, or in the console. */
const forPersons = [
  // The command line, what it does, and what only it prints.
  'packages/cli/src/',
  'packages/server/src/local/',
  'packages/server/src/doctor/',
  'packages/server/src/setup/data-dir.ts',
  // `details.command`, which only the terminal prints: the message has no command.
  'packages/server/src/trust/untrusted-error.ts',
  // The page of the console, its sessions, and what these are refused with.
  'packages/console/src/',
  'packages/server/src/http/request/console-session.ts',
  'packages/server/src/http/routes/console/',
  'packages/api/src/console.ts',
];

/** By file, texts that belong to the console: a person types the code of a session. */
const ofConsole: Readonly<Record<string, RegExp>> = {
  'packages/api/src/installs/contracts.ts': /a code of `ambit console confirm`/,
  // A session that only reads.
  'packages/server/src/http/request/admit.ts': /is read-only: .*Sign in with "ambit console"/,
  // The remedies of CODE_INVALID and CONFIRMATION_REQUIRED, which only a session gets.
  'packages/api/src/codes.ts': /^run `ambit console/,
};

test('no text for a caller or a model names a command that decides', () => {
  const found: string[] = [];
  let read = 0;
  for (const file of globSync('packages/*/src/**/*.{ts,tsx}', { cwd: repository }).sort()) {
    if (/\.test\.tsx?$|\/testing\//.test(file)) continue;
    for (const { text } of textsIn(file)) {
      read += 1;
      if (!deciding.test(text) || forPersons.some((each) => file.startsWith(each))) continue;
      if (ofConsole[file]?.test(text) !== true) found.push(`${file}: ${text}`);
    }
  }
  expect(found).toEqual([]);
  expect(read).toBeGreaterThan(10_000);
});

/** The help of a command, which is data: the properties that hold it, and the functions that take them. */
const helpTexts = ['summary:', 'description:', 'examples:', 'text:', 'details:'];
const helpOf = ['defineCommand', 'defineOptions'];

/** Whether a text is for a person who is about to decide: help, or the text at a terminal. */
function isAtTerminal(within: readonly string[]): boolean {
  const isHelp =
    within.some((each) => helpOf.includes(each)) && within.some((each) => helpTexts.includes(each));
  return isHelp || within.includes('decisionText');
}

test('the command line names a command that decides only in its help and at a terminal', () => {
  const found: string[] = [];
  let read = 0;
  for (const file of globSync('packages/{cli/src,server/src/{local,doctor,setup,trust}}/**/*.ts', {
    cwd: repository,
  }).sort()) {
    if (/\.test\.ts$/.test(file)) continue;
    for (const { text, within } of textsIn(file)) {
      if (!deciding.test(text)) continue;
      read += 1;
      if (!isAtTerminal(within)) found.push(`${file}: ${text}`);
    }
  }
  expect(found).toEqual([
    // The message has its subject, without a folder or a name.
    expect.stringMatching(/trust\.ts: ambit trust does not accept /),
    // Printed at a terminal only: `details.command`, and the decision of a `Refusal`.
    expect.stringMatching(
      /daemon-access\.ts: To create a key, run on the daemon's machine: ambit key create$/,
    ),
    expect.stringMatching(/untrusted-error\.ts: ambit trust …$/),
  ]);
  expect(read).toBeGreaterThan(20);
});

test.each([
  ['run: ambit skills approve acme:docx', true],
  ['ambit skills restore …', true],
  ['to add the package, run: ambit skills deps … --add …', true],
  ['to lock them again, run: ambit skills deps …', false],
  ['To review and trust it, run: ambit trust …', true],
  ['the operator can create one with "ambit key create …"', true],
  ['run "ambit console confirm …" in a terminal', true],
  ['to read it: "ambit skills review …"', false],
  ['end the session with "ambit console revoke"', false],
  ['ambit trusts nothing that it finds', false],
])('%j names a command that decides: %s', (text, names) => {
  expect(deciding.test(text)).toBe(names);
});

/** Every string of a file, templates whole, with the names of the calls and of the properties (`text:`) that it is in. */
function textsIn(file: string): { text: string; within: string[] }[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(join(repository, file), 'utf8'),
    ts.ScriptTarget.Latest,
  );
  const texts: { text: string; within: string[] }[] = [];
  const visit = (node: ts.Node, within: string[]): void => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node))
      texts.push({ text: node.text, within });
    else if (ts.isTemplateExpression(node))
      texts.push({
        text: [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…'),
        within,
      });
    if (ts.isCallExpression(node)) {
      const called = ts.isPropertyAccessExpression(node.expression) ? node.expression.name : node.expression;
      visit(node.expression, within);
      const inside = ts.isIdentifier(called) ? [...within, called.text] : within;
      for (const argument of node.arguments) visit(argument, inside);
    } else if (ts.isPropertyAssignment(node) && ts.isIdentifier(node.name))
      visit(node.initializer, [...within, `${node.name.text}:`]);
    else ts.forEachChild(node, (child) => visit(child, within));
  };
  visit(source, []);
  return texts;
}
