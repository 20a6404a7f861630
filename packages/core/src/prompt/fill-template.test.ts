// Threat model: T130

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../testing/arbitrary-text.ts';
import { fillTemplate } from './fill-template.ts';

const variables = {
  name: 'Ada',
  empty: '',
  yes: true,
  no: false,
  gone: undefined,
  raw: '{{name}}{{#if yes}}$&',
};

test.each([
  ['Hello {{name}}, {{ name }}', 'Hello Ada, Ada'],
  ['{{unknown}} {{gone}}', '{{unknown}} {{gone}}'],
  ['{{constructor}} {{__proto__}} {{#if toString}}x{{/if}}', '{{constructor}} {{__proto__}} '],
  ['{{raw}}', '{{name}}{{#if yes}}$&'],
  ['{{yes}} {{no}} {{empty}}.', 'true false .'],
  ['{{#if name}}a{{/if}}{{#if empty}}b{{/if}}{{#if no}}c{{/if}}{{#if unknown}}d{{/if}}', 'a'],
  ['{{#if no}}a{{else}}b{{/if}}{{ #if yes }}c{{ else }}d{{ /if }}', 'bc'],
  ['{{#if yes}}1{{#if no}}2{{else}}3{{name}}{{/if}}4{{/if}}', '13Ada4'],
  ['{{#if no}}1{{#if yes}}2{{else}}3{{/if}}4{{else}}5{{/if}}', '5'],
  ['{{#if yes}}open {{name}}', '{{#if yes}}open Ada'],
  ['{{#if no}}open {{#if yes}}closed{{/if}}', '{{#if no}}open closed'],
  ['{{/if}} {{else}} {{name}}', '{{/if}} {{else}} Ada'],
  ['{{#if yes}}a{{else}}b{{else}}c{{/if}}', 'a'],
  ['{{ na me }} {{}} {name} {{#if}}', '{{ na me }} {{}} {name} {{#if}}'],
])('%j', (template, expected) => {
  expect(fillTemplate(template, variables)).toBe(expected);
});

test('inserts a value unchanged, whatever it contains', () => {
  fc.assert(
    fc.property(anyText, (value) => {
      expect(fillTemplate('<{{v}}>', { v: value })).toBe(`<${value}>`);
    }),
  );
});

test('nests blocks a hundred thousand deep, and a hidden block hides everything in it', () => {
  const nested = (outer: string): string =>
    `${`{{#if ${outer}}}`}${'{{#if yes}}'.repeat(100_000)}x${'{{/if}}'.repeat(100_000)}{{else}}y{{/if}}`;
  expect(fillTemplate(nested('yes'), { yes: true })).toBe('x');
  expect(fillTemplate(nested('no'), { yes: true })).toBe('y');
});

test('returns a template without marks unchanged', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const plain = text.replaceAll('{{', '{');
      expect(fillTemplate(plain, variables)).toBe(plain);
    }),
  );
});
