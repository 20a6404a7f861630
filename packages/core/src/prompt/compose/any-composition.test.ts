import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText, seenInXml } from '../../testing/arbitrary-text.ts';
import { parseXml } from '../../testing/parse-xml.ts';
import { selectionOf } from '../../testing/selection-of.ts';
import { someSkill } from '../../testing/some-skill.ts';
import { composePrompt } from './compose-prompt.ts';
import type { CompositionInput } from './composition.ts';

const byCharacter = (text: string) => text.length;

const anyInput: fc.Arbitrary<CompositionInput> = fc.record({
  systemPrompt: fc.oneof(anyText, fc.constant('{{#if skills}}a{{else}}long text instead{{/if}}')),
  selection: fc
    .uniqueArray(
      fc.record({
        id: anyText,
        body: anyText,
        description: anyText,
        sidecar: fc.constantFrom(
          '',
          'injection: { mode: always }',
          'injection: { mode: always, delivery: context }',
        ),
      }),
      { selector: ({ id }) => id, maxLength: 4 },
    )
    .map((skills) => selectionOf(skills.map(({ id, ...rest }) => someSkill(id, rest)))),
  disclosure: fc.constantFrom('metadata', 'index', 'bodies'),
  format: fc.constantFrom('xml', 'plain'),
  context: fc.record({
    files: fc.array(fc.record({ path: anyText, text: anyText }), { maxLength: 2 }),
    gitStatus: fc.option(anyText),
    item: fc.option(anyText),
    artifacts: fc.array(fc.record({ path: anyText, text: anyText, note: anyText }), { maxLength: 2 }),
    errors: fc.array(fc.record({ source: anyText, message: anyText }), { maxLength: 1 }),
  }),
  variables: fc.dictionary(fc.constantFrom('a', 'skills', '__proto__'), anyText),
  cut: fc.constantFrom('whole', 'at-line'),
});

test('the parts concatenate to the prompt, and composing again gives the same result', () => {
  fc.assert(
    fc.property(anyInput, (input) => {
      const composition = composePrompt(input);
      expect(composition.parts.map(({ text }) => text).join('')).toBe(composition.prompt);
      expect(composition.parts.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(composition.tokens);
      expect(composition.parts.map(({ order }) => order)).toEqual(
        composition.parts.map((_, index) => index + 1),
      );
      expect(composePrompt(input)).toEqual(composition);
    }),
  );
});

test('a prompt exceeds its budget only by the system prompt, and a larger budget never drops a part', () => {
  fc.assert(
    fc.property(anyInput, fc.nat(300), fc.nat(100), (input, budgetTokens, more) => {
      for (const countTokens of [undefined, byCharacter]) {
        const small = composePrompt({ ...input, budgetTokens, countTokens });
        const added = small.parts.filter(({ kind }) => kind !== 'base');
        if (added.length > 0) expect(small.tokens).toBeLessThanOrEqual(budgetTokens);
        const large = composePrompt({ ...input, budgetTokens: budgetTokens + more, countTokens });
        const origins = large.parts.map(({ kind, origin }) => `${kind} ${origin}`);
        expect(origins).toEqual(expect.arrayContaining(added.map(({ kind, origin }) => `${kind} ${origin}`)));
      }
    }),
  );
});

test('the composed XML parses back to exactly the bodies', () => {
  fc.assert(
    fc.property(anyInput, (input) => {
      const whole = {
        ...input,
        systemPrompt: '',
        disclosure: 'bodies',
        format: 'xml',
        context: undefined,
      } as const;
      const { prompt } = composePrompt(whole);
      const bodies = parseXml(`<all>${prompt}</all>`).children.flatMap(({ children }) => children);
      const isBackground = (id: string) =>
        input.selection.skills.some(
          ({ skill }) => skill.id === id && skill.sidecar.injection.delivery === 'context',
        );
      const skills = input.selection.skills.map(({ skill }) => skill);
      const ordered = [
        ...skills.filter(({ id }) => !isBackground(id)),
        ...skills.filter(({ id }) => isBackground(id)),
      ];
      expect(bodies.map(({ attributes, text }) => [attributes['name'], text])).toEqual(
        ordered.map(({ id, body }) => [seenInXml(id), seenInXml(body)]),
      );
    }),
  );
});
