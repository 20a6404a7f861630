import fc from 'fast-check';
import semver from 'semver';
import { expect, test } from 'vitest';
import { isWhole } from '../../../../test/support/whole.ts';
import type { Tier } from '../capability/tier.ts';
import type { Skill } from '../skill/skill.ts';
import { aSkill } from '../testing/a-skill.ts';
import type { Selection, SelectionCatalog, SelectionRequest } from './selection.ts';
import { selectSkills } from './skill-selector.ts';

// Few names, so that circles, conflicts and shared requirements are likely.
const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const name = fc.constantFrom(...names);
const phase = fc.constantFrom('plan', 'test', 'ship');
const tool = fc.constantFrom('Read', 'Write', 'Bash', 'Edit', 'Save');
const range = fc.constantFrom('*', '^1', '^2', '>=1', '1.0.0');
const few = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.uniqueArray(of, { maxLength: 3 });
const optional = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(of, { nil: undefined });

const sidecar = fc.record({
  version: fc.constantFrom(undefined, '1.0.0', '1.5.0', '2.0.0', '2.0.0-beta.1'),
  phases: few(phase),
  priority: fc.integer({ min: 0, max: 3 }),
  tags: few(fc.constantFrom('x', 'y')),
  agents: few(fc.constantFrom('dev', 'qa')),
  campaigns: few(fc.constantFrom('spring', 'autumn')),
  requires: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, fc.dictionary(name, range, { maxKeys: 2 })),
  conflicts: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, few(name)),
  tools: optional(few(tool)),
});

const skills: fc.Arbitrary<Skill[]> = fc
  .uniqueArray(fc.tuple(name, sidecar, fc.nat(20), fc.constantFrom<Tier>('local', 'untrusted')), {
    selector: ([id]) => id,
  })
  .map((each) =>
    each.map(([id, its, tokens, tier]) => ({ ...aSkill(id, its, { body: '.'.repeat(tokens) }), tier })),
  );

const catalog: fc.Arbitrary<SelectionCatalog> = fc.record({
  skills,
  phases: fc.dictionary(phase, fc.record({ tools: few(tool), required: few(tool), skills: few(name) }), {
    maxKeys: 2,
  }),
  agents: fc.dictionary(fc.constant('dev'), fc.record({ skills: few(name) })),
});

const request: fc.Arbitrary<SelectionRequest> = fc.record(
  {
    phase: optional(phase),
    agent: optional(fc.constantFrom('dev', 'qa', 'ops')),
    tags: optional(few(fc.constantFrom('x', 'y'))),
    campaign: optional(fc.constantFrom('spring', 'summer')),
    include: optional(few(name)),
    exclude: optional(few(name)),
    budgetTokens: optional(fc.nat(60)),
  },
  { requiredKeys: [] },
);

function select(from: SelectionCatalog, asked: SelectionRequest): Selection {
  return selectSkills(from, asked, ({ length }) => length);
}

function always(
  claim: (selection: Selection, from: SelectionCatalog, asked: SelectionRequest) => void,
): void {
  fc.assert(
    fc.property(catalog, request, (from, asked) => claim(select(from, asked), from, asked)),
    { numRuns: isWhole ? 300 : 60 },
  );
}

const idsOf = (selection: Selection): string[] => selection.skills.map(({ skill }) => skill.id);

test('the same request gets the same result, whatever the order of the catalog', () => {
  fc.assert(
    fc.property(
      catalog.chain((from) =>
        fc.tuple(fc.constant(from), fc.shuffledSubarray([...from.skills], { minLength: from.skills.length })),
      ),
      request,
      ([from, shuffled], asked) => {
        const answer = select(from, asked);
        expect(select(from, asked)).toEqual(answer);
        expect(select({ ...from, skills: shuffled }, asked)).toEqual(answer);
      },
    ),
    { numRuns: isWhole ? 300 : 60 },
  );
});

test('a larger budget never drops a skill', () => {
  always((selection, from, asked) => {
    const more = select(from, { ...asked, budgetTokens: (asked.budgetTokens ?? 60) + 7 });
    if (asked.budgetTokens === undefined)
      expect(idsOf(selection)).toEqual(expect.arrayContaining(idsOf(more)));
    else expect(idsOf(more).slice(0, selection.skills.length)).toEqual(idsOf(selection));
  });
});

test('the selected bodies fit into the budget', () => {
  always(({ skills: selected }, _, { budgetTokens }) => {
    if (budgetTokens === undefined) return;
    const tokens = selected.reduce((sum, each) => sum + (each.tokens ?? Number.NaN), 0);
    expect(tokens).toBeLessThanOrEqual(budgetTokens);
  });
});

test('every skill of the catalog is either selected or left out, once', () => {
  always((selection, from) => {
    const leftOut = selection.leftOut.filter(({ reason }) => reason.kind !== 'unknown').map(({ id }) => id);
    expect([...idsOf(selection), ...leftOut].sort()).toEqual(from.skills.map(({ id }) => id).sort());
  });
});

test('each skill that is left out for a circle is in its chain of requirements', () => {
  always(({ leftOut }, from) => {
    for (const { id, reason } of leftOut) {
      if (reason.kind !== 'circle') continue;
      const [first, ...rest] = reason.chain;
      expect([rest.at(-1), new Set(rest).size, rest.includes(id)]).toEqual([first, rest.length, true]);
      for (const [at, each] of rest.entries()) {
        const { requires = {} } = from.skills.find((skill) => skill.id === reason.chain[at])?.sidecar ?? {};
        expect(Object.keys(requires)).toContain(each);
      }
    }
  });
});

test('what a selected skill requires is selected before it, in an accepted version', () => {
  always(({ skills: selected }) => {
    const before = new Map<string, string | undefined>();
    for (const { skill } of selected) {
      for (const [id, wanted] of Object.entries(skill.sidecar.requires)) {
        expect([...before.keys()]).toContain(id);
        if (wanted !== '*') expect(semver.satisfies(before.get(id) ?? '', wanted)).toBe(true);
      }
      before.set(skill.id, skill.sidecar.version);
    }
  });
});

test('among skills that are ready, the lowest priority comes next, then the lowest id', () => {
  always(({ skills: selected }) => {
    const open = selected.map(({ skill }) => skill);
    open.sort(
      (a, b) =>
        Number(a.tier === 'untrusted') - Number(b.tier === 'untrusted') ||
        a.sidecar.priority - b.sidecar.priority ||
        (a.id < b.id ? -1 : 1),
    );
    const expected: string[] = [];
    while (open.length > 0) {
      const ready = open.findIndex(({ sidecar }) =>
        Object.keys(sidecar.requires).every((id) => expected.includes(id)),
      );
      expected.push(...open.splice(ready, 1).map(({ id }) => id));
    }
    expect(selected.map(({ skill }) => skill.id)).toEqual(expected);
  });
});

test('no two selected skills conflict, and the winner of a conflict is selected unless the budget dropped it', () => {
  always((selection) => {
    const ids = idsOf(selection);
    for (const { skill } of selection.skills) {
      expect(skill.sidecar.conflicts.filter((id) => id !== skill.id && ids.includes(id))).toEqual([]);
    }
    const standing = [
      ...ids,
      ...selection.leftOut.filter(({ reason }) => reason.kind === 'budget').map(({ id }) => id),
    ];
    for (const { reason } of selection.leftOut) {
      if (reason.kind === 'conflict') expect(standing).toContain(reason.with);
    }
  });
});

test('an excluded skill is never selected, and a dependency is selected only for a selected skill', () => {
  always((selection, from, { exclude = [] }) => {
    expect(idsOf(selection).filter((id) => exclude.includes(id))).toEqual([]);
    const standing = new Set([
      ...idsOf(selection),
      ...selection.leftOut.filter(({ reason }) => reason.kind === 'budget').map(({ id }) => id),
    ]);
    for (const { skill, because } of selection.skills) {
      if (because.kind !== 'dependency') continue;
      const dependent = from.skills.find(({ id }) => id === because.of);
      expect([standing.has(because.of), Object.keys(dependent?.sidecar.requires ?? {})]).toEqual([
        true,
        expect.arrayContaining([skill.id]),
      ]);
    }
  });
});

test('an agent may use no tool that its phase lacks, and every tool that its phase requires', () => {
  always(({ tools }, { phases = {} }, { phase: asked = '' }) => {
    const { tools: has = [], required = [] } = Object.hasOwn(phases, asked) ? (phases[asked] ?? {}) : {};
    expect([...has, ...required]).toEqual(expect.arrayContaining([...tools.allowed]));
    expect(tools.allowed).toEqual(expect.arrayContaining([...required]));
    expect([...tools.allowed, ...tools.withheld].sort()).toEqual([...new Set([...has, ...required])].sort());
  });
});
