import { stringify } from 'yaml';

/** The kinds of new skills: instructions only, a program, or a script in WebAssembly. */
export const skeletonKinds = ['prompt', 'process', 'wasm'] as const;
export type SkeletonKind = (typeof skeletonKinds)[number];

/** The languages of new tools, with their runtime. */
export const skeletonLanguages = {
  bash: 'process',
  node: 'process',
  python: 'process',
  js: 'wasm',
} as const satisfies Record<string, SkeletonKind>;
export type SkeletonLanguage = keyof typeof skeletonLanguages;

/**
 * The files of a new skill, by path. Without a language it has only instructions. It validates, lints without findings and
 * runs: the tool counts the words of a text. `description` defaults to what the template does.
 */
export function skeleton(
  name: string,
  language: SkeletonLanguage | undefined,
  description: string = language === undefined ? writesNotes : countsWords,
): Record<string, string> {
  // One line each, which every frontmatter parser understands.
  const head = `---\n${stringify({ name, description }, { lineWidth: 0 })}---\n\n# ${name}\n\n`;
  switch (language) {
    case undefined:
      return { 'SKILL.md': head + notesBody, 'ambit.yaml': promptSidecar };
    case 'python':
      return program('scripts/run.py', 'python3', python);
    case 'node':
      return program('scripts/run.mjs', 'node', node);
    case 'bash':
      return {
        'SKILL.md': head + commandBody,
        'ambit.yaml': commandSidecar,
        'scripts/run.sh': bash,
      };
    case 'js':
      return {
        'SKILL.md': head + toolBody,
        'ambit.yaml': toolSidecar('wasm', 'index.js', ''),
        'index.js': script,
      };
    default:
      return language satisfies never;
  }

  function program(entry: string, interpreter: string, text: string): Record<string, string> {
    return {
      'SKILL.md': head + toolBody,
      'ambit.yaml': toolSidecar('process', entry, `  capabilities: { exec: [${interpreter}] }\n`),
      [entry]: text,
    };
  }
}

const countsWords =
  'Counts the words and lines of a text. Use it when asked how long a text is, or before cutting one to a length.';
const writesNotes =
  'Writes release notes from a list of changes. Use it when asked for a changelog, or before announcing a release.';

const notesBody = `## Steps

1. Read every change since the last release.
2. Omit changes that users cannot notice.
3. Group the rest into new, changed and fixed.
4. Write one sentence for each: what users can do now, not how it was done.

## Example

\`\`\`markdown
### New
- Export your data as CSV.
\`\`\`
`;

const toolBody = `Returns the number of words and lines in a text. White space separates words.

## Example

\`\`\`json
{ "text": "one two\\nthree" }
\`\`\`

\`\`\`json
{ "words": 3, "lines": 2 }
\`\`\`
`;

const commandBody = `Reads a text from stdin and prints the number of its lines and words.

## Example

\`\`\`text
one two
three
\`\`\`

\`\`\`text
2 lines, 3 words
\`\`\`
`;

const common = `version: 0.1.0
# Phases of work that use the skill, such as [plan, implement]; "*" is every phase.
phases: "*"
# Skills with lower numbers come first in a prompt.
priority: 50
tags: []
`;

const promptSidecar = `${common}# The agent's tools that the instructions use.
tools: [Read]
`;

function toolSidecar(runtime: 'process' | 'wasm', entry: string, capabilities: string): string {
  return `${common}run:
  runtime: ${runtime}
  entry: ${entry}
  protocol: json
  input:
    type: object
    additionalProperties: false
    required: [text]
    properties:
      text: { type: string, description: The text to count. }
  output:
    type: object
    additionalProperties: false
    required: [words, lines]
    properties:
      words: { type: integer, minimum: 0 }
      lines: { type: integer, minimum: 0 }
${capabilities}  limits: { timeoutMs: 10000, memoryBytes: 134217728 }
`;
}

const commandSidecar = `${common}run:
  runtime: process
  entry: scripts/run.sh
  # The skill gets arguments and stdin, and returns stdout.
  protocol: command
  capabilities: { exec: [bash, '@posix'] }
  limits: { timeoutMs: 10000, memoryBytes: 134217728 }
`;

const bash = `#!/usr/bin/env bash
set -euo pipefail

read -r lines words <<< "$(wc -l -w)"
echo "$lines lines, $words words"
`;

const node = `#!/usr/bin/env node
import { readFileSync } from 'node:fs';

const { text } = JSON.parse(readFileSync(0, 'utf8'));
const lines = text === '' ? [] : text.replace(/\\n$/, '').split('\\n');
console.log(JSON.stringify({ words: text.split(/\\s+/).filter(Boolean).length, lines: lines.length }));
`;

const python = `#!/usr/bin/env python3
import json
import sys

text = json.load(sys.stdin)["text"]
json.dump({"words": len(text.split()), "lines": len(text.splitlines())}, sys.stdout)
`;

const script = `export default function ({ text }) {
  const lines = text === '' ? [] : text.replace(/\\n$/, '').split('\\n');
  return { words: text.split(/\\s+/).filter(Boolean).length, lines: lines.length };
}
`;
