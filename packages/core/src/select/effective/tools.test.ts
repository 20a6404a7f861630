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

  test('every tool of the agent if the phase has all, until a trusted skill names tools', () => {
    const inAll = (...skills: SelectionCatalog['skills']): EffectiveTools =>
      selectSkills({ skills, phases: { plan: { tools: 'all', required: ['mcp__save'] } } }, { phase: 'plan' })
        .tools;
    const untrusted = { ...aSkill('u', { tools: ['Write'] }), tier: 'untrusted' as const };
    const beyond = { withheld: [], beyondPhase: [] };
    expect(inAll()).toEqual({ allowed: 'all', ...beyond, from: 'unnarrowed' });
    expect(inAll(aSkill('a'), untrusted)).toEqual({ allowed: 'all', ...beyond, from: 'unnarrowed' });
    expect(inAll(aSkill('a', { tools: ['Bash', 'Read'] }), aSkill('b', { tools: ['Read'] }))).toEqual({
      allowed: ['mcp__save', 'Bash', 'Read'],
      ...beyond,
      from: 'configured',
    });
    expect(inAll(aSkill('a', { tools: ['Read'] }), aSkill('b', { tools: ['*'] }))).toEqual({
      allowed: 'all',
      ...beyond,
      from: 'configured',
    });
    expect(inAll(aSkill('none', { tools: [] }))).toEqual({
      allowed: ['mcp__save'],
      ...beyond,
      from: 'configured',
    });
  });

  test('all of a list, if a skill requests *, and never a tool of that name', () => {
    const all = { allowed: ['Read', 'Write', 'mcp__save', 'Bash', 'Stop'], withheld: [], beyondPhase: [] };
    expect(tools([aSkill('a', { tools: ['*'] })])).toEqual({ ...all, from: 'configured' });
    expect(tools([aSkill('a', {}, { 'allowed-tools': '*' })])).toEqual({ ...all, from: 'configured' });
    expect(tools([aSkill('a', { tools: ['*'] })], 'other')).toEqual({
      allowed: [],
      withheld: [],
      beyondPhase: [],
      from: 'unknown-phase',
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
