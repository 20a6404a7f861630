import { readSidecar } from '@ambit/core/skill';
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

test('converts a single phase to a list', () => {
  expect(withPhases('phases: "Plan" # one\n', ['review'])).toBe('phases: ["Plan", review] # one\n');
});

test('quotes a phase that YAML would not read as a string', () => {
  expect(withPhases('phases: [plan]\n', ['true', '1', 'a, b', 'on: x'])).toBe(
    'phases: [plan, "true", "1", "a, b", "on: x"]\n',
  );
});

test('replaces an alias for phases by the phases', () => {
  const text = '# keep me\ntags: &all [plan, test]\nphases: *all # shared\n';
  const edited = withPhases(text, ['review']);
  expect(readSidecar(edited)).toEqual({ ...readSidecar(text), phases: ['plan', 'test', 'review'] });
  expect(edited).toMatch(/^# keep me\n/);
});

test('changes nothing for phases that are already listed', () => {
  expect(withPhases('phases:   [plan]', ['plan'])).toBe('phases:   [plan]');
});

test('does not narrow a skill for every phase', () => {
  expect(withPhases('priority: 1', ['plan'])).toBe('priority: 1');
  expect(withPhases('phases: "*"', ['plan'])).toBe('phases: "*"');
});

test('refuses to edit an invalid sidecar', () => {
  expect(() => withPhases('phase: [plan]', ['test'])).toThrow('did you mean phases?');
});

test('adds phases of any name in any layout, and preserves the rest', () => {
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
