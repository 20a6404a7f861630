// Threat model: T124, T127

import { describe, expect, test } from 'vitest';
import { aSkill } from '../../testing/a-skill.ts';
import type { EffectiveTools, PhaseSettings, SelectionCatalog } from '../selection.ts';
import { selectSkills } from '../skill-selector.ts';

const settings: PhaseSettings = {
  tools: ['Read', 'Write', 'mcp__save', 'Bash', 'Read'],
  required: ['mcp__save', 'Stop', 'Stop'],
};

function tools(skills: SelectionCatalog['skills'], phase: string | undefined = 'plan'): EffectiveTools {
  return selectSkills({ skills, phases: { plan: settings } }, { phase }).tools;
}

describe('an agent may use the tools of its phase', () => {
  test('that a selected skill requests, and the required ones, in the order of the phase', () => {
    expect(
      tools([
        aSkill('a', { tools: ['Bash', 'Read'] }),
        aSkill('b', { tools: ['Edit', 'Read'] }),
        aSkill('c', { tools: ['Edit', 'Edit'] }),
      ]),
    ).toEqual({
      allowed: ['Read', 'mcp__save', 'Bash', 'Stop'],
      withheld: ['Write'],
      beyondPhase: [{ tool: 'Edit', skills: ['b', 'c'] }],
      from: 'configured',
    });
  });

  test('and an untrusted skill gets what it requests without removing anything', () => {
    const untrusted = { ...aSkill('u', { tools: ['Write'] }), tier: 'untrusted' as const };
    expect(tools([untrusted])).toEqual({
      allowed: ['Read', 'Write', 'mcp__save', 'Bash', 'Stop'],
      withheld: [],
      beyondPhase: [],
      from: 'unnarrowed',
    });
    expect(tools([untrusted, aSkill('a', { tools: ['Read'] })])).toMatchObject({
      allowed: ['Read', 'Write', 'mcp__save', 'Stop'],
      withheld: ['Bash'],
      from: 'configured',
    });
  });

  test('only the required ones, if the skills that mention tools use none', () => {
    expect(tools([aSkill('silent'), aSkill('none', { tools: [] })])).toMatchObject({
      allowed: ['mcp__save', 'Stop'],
      withheld: ['Read', 'Write', 'Bash'],
    });
  });

  test('none if no phase is requested', () => {
    const { tools: none, warnings } = selectSkills(
      { skills: [aSkill('a', { tools: ['Read'] })], phases: { plan: settings } },
      {},
    );
    expect([none, warnings]).toEqual([{ allowed: [], withheld: [], beyondPhase: [], from: 'no-phase' }, []]);
  });
});

describe('a skill requests tools', () => {
  const asked = (allowedTools: unknown, sidecar: object = {}): readonly string[] =>
    tools([aSkill('a', { ...sidecar }, { 'allowed-tools': allowedTools })]).beyondPhase.map(
      ({ tool }) => tool,
    );

  test.each<[string, unknown, string[]]>([
    ['by name', 'Glob Grep', ['Glob', 'Grep']],
    ['with commas', 'Glob, Grep', ['Glob', 'Grep']],
    ['with a pattern', 'Shell(git:*) Grep', ['Shell', 'Grep']],
    ['with a pattern that has blanks', 'Shell(git add:*) Grep', ['Shell', 'Grep']],
    ['in a list', ['Shell(git add:*)', 'Grep'], ['Shell', 'Grep']],
  ])('in its allowed-tools, %s', (_, allowedTools, expected) => {
    expect(asked(allowedTools)).toEqual(expected);
  });

  test('in its sidecar, which then replaces them', () => {
    expect(asked('Glob', { tools: ['Grep'] })).toEqual(['Grep']);
  });
});
