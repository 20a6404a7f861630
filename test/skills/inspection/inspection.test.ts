// Threat model: T110

// The harmful skills that `ambit skills review` finds, and its alarms about honest ones.
// docs/review.md lists every miss and every false alarm.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { inspectionRules, inspectSkill } from '../../../packages/core/src/inspect.ts';
import { readSidecar } from '../../../packages/core/src/skill.ts';
import { redactShapes, secretsIn } from '../../../packages/runtime/src/index.ts';
import type { CorpusSkill, Files, HarmfulSkills, Surroundings } from './corpus-skill.ts';
import { evasiveSkills, harmfulSkills } from './harmful.ts';
import { harmlessSkills } from './harmless.ts';
import { heldOutHarmful, heldOutHarmless } from './held-out.ts';

const page = readFileSync(new URL('../../../docs/review.md', import.meta.url), 'utf8');

interface Row {
  name: string;
  /** The rule that should find a harmful skill. */
  rule: string | undefined;
  /** The rules with a finding that is more than a note. */
  alarms: readonly string[];
}

function rows(skills: Readonly<Record<string, CorpusSkill>>, rule?: string): Row[] {
  return Object.entries(skills).map(([name, skill]) => ({ name, rule, alarms: alarmsOf(name, skill) }));
}

function rowsByRule(skills: HarmfulSkills): Row[] {
  return Object.entries(skills).flatMap(([rule, some]) => rows(some, rule));
}

function alarmsOf(name: string, skill: CorpusSkill): string[] {
  const { files, ...around } = withSurroundings(skill);
  const { id = name, links = {}, hidden = [], otherIds = [] } = around;
  const contents = Object.entries(files).map(([path, text]) => {
    const content = typeof text === 'string' ? new TextEncoder().encode(text) : text;
    return { path, bytes: content.length, content };
  });
  const linked = Object.entries(links).map(([path, link]) => ({ path, bytes: link.length, link }));
  const sidecar = files['ambit.yaml'];
  const { findings } = inspectSkill(
    {
      id,
      hidden,
      otherIds,
      files: [...contents, ...linked],
      ...(typeof sidecar === 'string' ? { sidecar: readSidecar(sidecar) } : {}),
    },
    { secretsIn, redact: redactShapes },
  );
  return [...new Set(findings.filter(({ severity }) => severity !== 'note').map(({ rule }) => rule))];
}

function withSurroundings(skill: CorpusSkill): Surroundings & { files: Files } {
  if (typeof skill === 'string') return { files: { 'SKILL.md': skill } };
  return isFiles(skill) ? { files: skill } : skill;
}

const isFiles = (skill: object): skill is Files => 'SKILL.md' in skill;
const isFound = ({ alarms }: Row): boolean => alarms.length > 0;
const harmful = [...rowsByRule(harmfulSkills), ...rowsByRule(evasiveSkills)];
const harmless = rows(harmlessSkills);
const [otherHarmful, otherHarmless] = [rowsByRule(heldOutHarmful), rows(heldOutHarmless)];

test('the corpus has enough skills of both kinds, with unique names', () => {
  const names = [harmful, harmless, otherHarmful, otherHarmless].flat().map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(Math.min(harmful.length, harmless.length)).toBeGreaterThanOrEqual(50);
});

test.each([
  ['corpus', harmful, harmless],
  ['held out', otherHarmful, otherHarmless],
])('precision and recall of the skills, %s, are the figures of docs/review.md', (kind, bad, good) => {
  const found = bad.filter(isFound).length;
  const precision = found / (found + good.filter(isFound).length);
  const figures = `${bad.length} harmful and ${good.length} harmless skills: precision ${precision.toFixed(3)}, recall ${(found / bad.length).toFixed(3)}`;
  console.log(`inspection, ${kind}, ${figures}`);
  expect(page.replaceAll(/\s+/g, ' ')).toContain(figures);
});

test('docs/review.md lists every miss and every false alarm', () => {
  const names = (some: readonly Row[]): string[] => some.map(({ name }) => name);
  const misses = [...harmful, ...otherHarmful].filter((row) => !isFound(row));
  expect(listed('Misses')).toEqual(names(misses));
  expect(listed('False alarms')).toEqual(names([...harmless, ...otherHarmless].filter(isFound)));
});

/** The first column of the table below a heading. */
function listed(heading: string): string[] {
  const section = page.split(/^##+ /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  return [...section.matchAll(/^\| `([a-z0-9-]+)`/gm)].map(([, name = '']) => name);
}

test.each(harmful.filter(isFound))('$name is found by its rule', ({ rule, alarms }) => {
  expect(alarms).toContain(rule);
});

test('docs/review.md lists every rule with its severity', () => {
  const rows = [...page.matchAll(/^\| `([a-z-]+)` \| (refuse|high|medium|note) \|/gm)].map(
    ([, rule, severity]) => [rule, severity],
  );
  expect(Object.fromEntries(rows)).toEqual(inspectionRules);
});
