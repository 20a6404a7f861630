import { expect, test } from 'vitest';
import { someSkill } from '../testing/some-skill.ts';
import { availableSkillsIndex } from './skills-index.ts';
import { generateSkillMetadataXml } from './xml/skill-metadata.ts';

const metadata = (description: string): string =>
  generateSkillMetadataXml([someSkill('any', { description })]);
const index = (text: string): string =>
  availableSkillsIndex([{ id: 'any', name: text, description: text, path: '/any/SKILL.md' }]);

test('a description of 1024 characters is listed whole, and a longer one is cut there', () => {
  expect(metadata('x'.repeat(1024))).toContain(`<description>${'x'.repeat(1024)}</description>`);
  expect(metadata('x'.repeat(500_000))).toContain(`<description>${'x'.repeat(1023)}…</description>`);
  expect(index('x'.repeat(1024))).toContain(`any: ${'x'.repeat(1024)} — ${'x'.repeat(1024)}\n`);
  expect(index('x'.repeat(500_000))).toContain(`any: ${'x'.repeat(1023)}… — ${'x'.repeat(1023)}…\n`);
});
