import { readSidecar } from '@ambit/core/internal';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Document, isSeq } from 'yaml';
import { withPhases } from './with-phases.ts';

test.each([
  [
    'a flow list',
    '# mine\nphases: [plan, test]  # two\nrun:   {runtime: process,  entry: a}\n',
    '# mine\nphases: [plan, test, review]  # two\nrun:   {runtime: process,  entry: a}\n',
  ],
  [
    'a block list with comments',
    'phases:\n  # first\n  - plan # early\n  - test # late\n\ntags: [a]\n',
    'phases:\n  # first\n  - plan # early\n  - test # late\n  - review\n\ntags: [a]\n',
  ],
  [
    'a block list that is not indented, at the end of the file, with CRLF',
    'priority: 1\r\nphases:\r\n- plan\r\n- test',
    'priority: 1\r\nphases:\r\n- plan\r\n- test\r\n- review',
  ],
  [
    'a list over several lines',
    'phases: [\n  plan,\n  test,\n]\n',
    'phases: [\n  plan,\n  test, review,\n]\n',
  ],
])('%s gets a phase, and nothing else changes', (_, before, after) => {
  expect(withPhases(before, ['plan', 'review'])).toBe(after);
});

test('a single phase becomes a list', () => {
  expect(withPhases('phases: "Plan" # one\n', ['review'])).toBe('phases: ["Plan", review] # one\n');
});

test('what YAML would read as something else stands in quotes', () => {
  expect(withPhases('phases: [plan]\n', ['true', '1', 'a, b', 'on: x'])).toBe(
    'phases: [plan, "true", "1", "a, b", "on: x"]\n',
  );
});

test('phases that come from elsewhere in the file are written out', () => {
  const text = '# keep me\ntags: &all [plan, test]\nphases: *all # shared\n';
  const edited = withPhases(text, ['review']);
  expect(readSidecar(edited)).toEqual({ ...readSidecar(text), phases: ['plan', 'test', 'review'] });
  expect(edited).toMatch(/^# keep me\n/);
});

test('phases that are there already change nothing', () => {
  expect(withPhases('phases:   [plan]', ['plan'])).toBe('phases:   [plan]');
});

test('a skill for every phase is not narrowed to one', () => {
  expect(withPhases('priority: 1', ['plan'])).toBe('priority: 1');
  expect(withPhases('phases: "*"', ['plan'])).toBe('phases: "*"');
});

test('a sidecar that is wrong is not edited', () => {
  expect(() => withPhases('phase: [plan]', ['test'])).toThrow('did you mean phases?');
});

test('whatever the phases are called and however they are laid out, they are added and the rest stays', () => {
  const phase = fc.string({ unit: 'grapheme', minLength: 1 }).filter((name) => name !== '*');
  const lists = fc.uniqueArray(phase, { minLength: 1, maxLength: 4, selector: (name) => name.toLowerCase() });
  fc.assert(
    fc.property(lists, lists, fc.boolean(), (before, added, flow) => {
      const document = new Document({ tags: ['a'], phases: before, priority: 3 });
      const phases = document.get('phases');
      if (isSeq(phases)) phases.flow = flow;
      const text = document.toString();
      const old = readSidecar(text);
      const more = added.map((name) => name.toLowerCase()).filter((name) => !old.phases.includes(name));
      expect(readSidecar(withPhases(text, more))).toEqual({ ...old, phases: [...old.phases, ...more] });
    }),
  );
});
