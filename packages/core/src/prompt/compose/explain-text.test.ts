import { expect, test } from 'vitest';
import { selectionOf } from '../../testing/selection-of.ts';
import { someSkill } from '../../testing/some-skill.ts';
import { composePrompt } from './compose-prompt.ts';
import { explainText } from './explain-text.ts';

test('explains a composition to a person', () => {
  const selection = selectionOf([someSkill('a'), someSkill('b')], {
    leftOut: [
      { id: 'x', reason: { kind: 'phase', its: ['test'] } },
      { id: 'y', reason: { kind: 'phase', its: ['test'] } },
      { id: 'z', reason: { kind: 'conflict', with: 'a' } },
    ],
    tools: {
      allowed: ['Read', 'Grep'],
      withheld: ['Write'],
      beyondPhase: [{ tool: 'Bash', skills: ['a', 'b'] }],
      from: 'configured',
    },
    mcpServers: {
      servers: { own: { env: { TOKEN: 'secret' } }, shared: {} },
      origins: { shared: 'a' },
      refused: [{ server: 'evil', skill: 'b', reason: 'it is not\ngranted', remedy: 'grants: { b: … }' }],
    },
    warnings: ['the phase is odd'],
  });
  const composition = composePrompt({
    systemPrompt: '<identity>I</identity>',
    selection,
    active: ['b'],
    countTokens: (text) => text.length,
  });
  expect(explainText(composition)).toBe(`326 tokens, 326 characters, 4 parts

Parts, in order
     tokens  characters  part      origin         why
  1      22          22  base      system prompt  given
  2      50          50  skill     b              is for the phase plan; active
  3     127         127  metadata  a              is for the phase plan
  4     127         127  metadata  b              is for the phase plan

Left out
  skill x, y: only for the phase test
  skill z: conflicts with a, which takes precedence
  body a: listed but not active

Tools
  allowed: Read, Grep (the phase's tools that selected skills request)
  withheld, because no selected skill requests them: Write
  not available in this phase: Bash (a, b)

MCP servers
  own
  shared, from a
  refused: evil, from b: it is not granted; add to ambit.config.yaml: grants: { b: … }

Warnings
  the phase is odd`);
});

test('explains why an empty composition has no tools', () => {
  const selection = selectionOf([], {
    tools: { allowed: [], withheld: [], beyondPhase: [], from: 'unknown-phase' },
  });
  expect(explainText(composePrompt({ systemPrompt: '', selection }))).toBe(`0 tokens, 0 characters, 0 parts

Tools
  allowed: none (the phase is not configured)`);
});
