// Checks a commit message, for the hook scripts/hooks/commit-msg: node
// scripts/check/commit-message.mjs FILE

import { readFileSync } from 'node:fs';
import { patterns } from './wording/patterns.mjs';

const subjectMax = 72;

/** Subjects written by git. */
const writtenByGit = /^(?:Merge |Revert "|Reapply "|(?:fixup|squash|amend)! )/;

// Words that are not verbs. -ing and -ed are checked separately, except for verbs with these
// endings.
const notVerbs =
  /^(?:an?|the|this|that|these|those|it|its|one|two|three|no|not|nothing|none|every|each|all|any|some|what|which|who|where|when|why|how|if|of|in|on|at|for|from|with|without|among|after|before|by|as|so|only|also|new|more)$/i;
const participle = /(?:ing|ed)$/i;
const verbsLikeParticiples =
  /^(?:bring|ping|ring|sing|string|spring|swing|wing|embed|exceed|feed|heed|need|proceed|seed|shed|shred|speed|succeed)$/i;
const otherForms =
  /^(?:adds|allows|bumps|changes|checks|cleans|creates|deletes|does|drops|fixes|gets|gives|keeps|lets|makes|moves|names|prints|puts|reads|refuses|removes|renames|replaces|reports|returns|rewrites|runs|says|sends|sets|shows|stops|takes|tells|updates|uses|writes|did|gave|got|kept|made|ran|said|sent|took|went|wrote)$/i;

/**
 * @param {string} message as git passes it to the hook, with comments
 * @returns {string[]} the problems, a sentence each
 */
function messageProblems(message) {
  const lines = withoutComments(message);
  const [subject = '', second = ''] = lines;
  if (writtenByGit.test(subject)) return [];
  const problems = [];
  if (subject.trim() === '')
    return ['The subject is empty. Write one, such as: egress: refuse CONNECT to a second host'];
  if (subject.length > subjectMax) {
    problems.push(`The subject has ${subject.length} characters. Use at most ${subjectMax}.`);
  }
  if (/\.$/.test(subject)) problems.push('The subject ends with a full stop. Delete it.');
  if (!isImperative(subject)) {
    problems.push(
      `"${firstWord(subject)}" is not an imperative. Begin with a verb, such as add, fix or remove.`,
    );
  }
  if (second.trim() !== '')
    problems.push('The second line is not blank. Put a blank line below the subject.');
  const text = lines.join('\n').replace(/`[^`\n]*`/g, ' ');
  for (const { name, found, instead } of patterns) {
    if (text.search(found) >= 0) problems.push(`The message has "${name}". Instead: ${instead}.`);
  }
  return problems;
}

/** @param {string} message */
function withoutComments(message) {
  const [written = ''] = message.split(/^# -+ >8 -+$/m);
  return written
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .trim()
    .split('\n');
}

/** @param {string} subject */
function isImperative(subject) {
  const word = firstWord(subject);
  const isParticiple = participle.test(word) && !verbsLikeParticiples.test(word);
  return word !== '' && !notVerbs.test(word) && !isParticiple && !otherForms.test(word);
}

/**
 * After the area, if there is one: `egress: `, `mcp, doctor: `.
 * @param {string} subject
 */
function firstWord(subject) {
  return /^(?:[^\s:]+ ?[^\s:]*(?:, [^\s:]+)*: )?\s*([\p{L}\p{N}'-]*)/u.exec(subject)?.[1] ?? '';
}

function main() {
  const problems = messageProblems(readFileSync(process.argv[2] ?? '', 'utf8'));
  if (problems.length === 0) return;
  console.error(
    `The commit message is refused (see CONTRIBUTING.md):\n${problems.map((each) => `- ${each}`).join('\n')}`,
  );
  process.exitCode = 1;
}

main();
