import { agentTargets as known } from '@ambit/agents';
import { expect, test } from 'vitest';
import { agentTargets } from './prompt-body.ts';

test('a prompt can name every agent that has settings', () => {
  expect(agentTargets).toEqual(known);
});
