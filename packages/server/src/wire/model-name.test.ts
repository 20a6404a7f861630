import { expect, test } from 'vitest';
import { idOfModelName, modelName } from './model-name.ts';

test.each([
  ['docx', 'docx'],
  ['acme:docx', 'acme__docx'],
  ['a-b:c-d', 'a-b__c-d'],
])('the skill %s is the tool %s, and back', (id, name) => {
  expect(modelName(id)).toBe(name);
  expect(idOfModelName(name)).toBe(id);
});
