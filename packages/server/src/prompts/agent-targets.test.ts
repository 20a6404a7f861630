import { agentTargets as known } from '@ambit/agents';
import { agentTargets } from '@ambit/api';
import { expect, test } from 'vitest';

test('a prompt can name every agent that has settings', () => {
  expect(agentTargets).toEqual(known);
});
