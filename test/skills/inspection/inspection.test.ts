// Threat model: T110

// How well `ambit skills review` finds harmful skills, and how often it alarms about honest ones.
// docs/review.md lists every miss and every false alarm.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { inspectionRules, inspectSkill, readSidecar } from '../../../packages/core/src/internal.ts';
import { redactShapes, secretsIn } from '../../../packages/runtime/src/index.ts';
import type { CorpusSkill } from './corpus-skill.ts';
import { harmfulSkills } from './harmful.ts';
import { harmlessSkills } from './harmless.ts';
import { heldOutHarmful, heldOutHarmless } from './held-out.ts';

const page = readFileSync(new URL('../../../docs/review.md', import.meta.url), 'utf8');

/** The rules with a finding that is more than a note. */
function alarmsOf({ name, id = name, files, links = {}, hidden = [], otherIds = [] }: CorpusSkill): string[] {
  const contents = Object.entries(files).map(([path, text]) => {
    const content = typeof text === 'string' ? new TextEncoder().encode(text) : text;
    return { path, bytes: content.length, content };
  });
  const linked = Object.entries(links).map(([path, link]) => ({ path, bytes: link.length, link }));
  const sidecar = files['ambit.yaml'];
  const { findings } = inspectSkill(
    {
      ...{ id, hidden, otherIds, files: [...contents, ...linked] },
      ...(typeof sidecar === 'string' ? { sidecar: readSidecar(sidecar) } : {}),
    },
    { secretsIn, redact: redactShapes },
  );
  return [...new Set(findings.filter(({ severity }) => severity !== 'note').map(({ rule }) => rule))];
}

const isFound = (skill: CorpusSkill): boolean => alarmsOf(skill).length > 0;
const harmful = [...harmfulSkills, ...heldOutHarmful];
const harmless = [...harmlessSkills, ...heldOutHarmless];
const misses = harmful.filter((skill) => !isFound(skill)).map(({ name }) => name);
const falseAlarms = harmless.filter(isFound).map(({ name }) => name);

test('the corpus has enough skills of both kinds, with unique names', () => {
  const names = [...harmful, ...harmless].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(Math.min(harmfulSkills.length, harmlessSkills.length)).toBeGreaterThanOrEqual(50);
});

test.each([
  ['corpus', harmfulSkills, harmlessSkills],
  ['held out', heldOutHarmful, heldOutHarmless],
])('precision and recall of the skills, %s, are the figures of docs/review.md', (kind, bad, good) => {
  const found = bad.filter(isFound).length;
  const precision = found / (found + good.filter(isFound).length);
  const figures = `${bad.length} harmful and ${good.length} harmless skills: precision ${precision.toFixed(3)}, recall ${(found / bad.length).toFixed(3)}`;
  console.log(`inspection, ${kind}, ${figures}`);
  expect(page.replaceAll(/\s+/g, ' ')).toContain(figures);
});

test('docs/review.md lists every miss and every false alarm', () => {
  expect(listed('Misses')).toEqual(misses);
  expect(listed('False alarms')).toEqual(falseAlarms);
});

/** The first column of the table below a heading. */
function listed(heading: string): string[] {
  const section = page.split(/^##+ /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  return [...section.matchAll(/^\| `([a-z0-9-]+)`/gm)].map(([, name = '']) => name);
}

test.each(harmfulSkills.filter(isFound).map((skill) => [skill.name, skill] as const))(
  '%s is found by its rule',
  (_name, skill) => {
    expect(alarmsOf(skill)).toContain(skill.rule);
  },
);

test('docs/review.md lists every rule with its severity', () => {
  const rows = [...page.matchAll(/^\| `([a-z-]+)` \| (refuse|high|medium|note) \|/gm)].map(
    ([, rule, severity]) => [rule, severity],
  );
  expect(Object.fromEntries(rows)).toEqual(inspectionRules);
});
