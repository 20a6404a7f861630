// Threat model: T124

import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { McpServers } from '../../skill/mcp-servers.ts';
import type { Skill } from '../../skill/skill.ts';
import { aSkill } from '../../testing/a-skill.ts';
import type { EffectiveMcpServers } from '../selection.ts';
import { selectSkills } from '../skill-selector.ts';

const docs = { command: 'npx', args: ['-y', 'docs-server'], env: { LANG: 'C', TZ: 'UTC' } };

function servers(
  skills: readonly Skill[],
  granted: Record<string, McpServers>,
  own?: McpServers,
): EffectiveMcpServers {
  return selectSkills({ skills, mcpServers: granted }, { mcpServers: own }).mcpServers;
}

function bringing(id: string, mcpServers: McpServers): Skill {
  return aSkill(id, { mcpServers });
}

describe('a skill’s server is added', () => {
  test('if its exact definition is granted, regardless of the order of keys', () => {
    const granted = {
      a: { docs: { env: { TZ: 'UTC', LANG: 'C' }, args: ['-y', 'docs-server'], command: 'npx' } },
    };
    expect(servers([bringing('a', { docs })], granted, { own: { url: 'x' } })).toEqual({
      servers: { own: { url: 'x' }, docs },
      origins: { docs: 'a' },
      refused: [],
    });
  });

  test('not without a grant, and the remedy is the line that grants it', () => {
    const { refused, ...rest } = servers([bringing('a', { docs })], { b: { docs } });
    expect(rest).toEqual({ servers: {}, origins: {} });
    expect(refused).toEqual([
      {
        server: 'docs',
        skill: 'a',
        reason: 'not granted',
        remedy:
          'grants: { a: { mcpServers: { docs: { command: npx, args: [ -y, docs-server ], env: { LANG: C, TZ: UTC } } } } }',
      },
    ]);
  });

  test.each<[string, McpServers[string]]>([
    ['has another value', { ...docs, command: 'node' }],
    ['has its list in another order', { ...docs, args: ['docs-server', '-y'] }],
    ['has one key more', { ...docs, cwd: '/' }],
    ['has one key less', { command: 'npx' }],
  ])('not if the skill’s definition %s', (_, changed) => {
    expect(servers([bringing('a', { docs: changed })], { a: { docs } }).refused).toMatchObject([
      { reason: 'its definition differs from the granted one' },
    ]);
    expect(servers([bringing('a', { docs: changed })], { a: { docs: changed } }).refused).toEqual([]);
  });

  test('never in place of one of the agent’s own, even if granted and equal', () => {
    const own = { docs };
    for (const definition of [docs, { command: 'evil' }]) {
      expect(servers([bringing('a', { docs: definition })], { a: { docs: definition } }, own)).toEqual({
        servers: own,
        origins: {},
        refused: [
          {
            server: 'docs',
            skill: 'a',
            reason: 'the agent already has a server with that name',
            remedy: null,
          },
        ],
      });
    }
  });

  test('once if two skills provide it, and only the first if they differ', () => {
    const other = { command: 'other' };
    const same = [bringing('a', { docs }), bringing('b', { docs })];
    expect(servers(same, { a: { docs }, b: { docs } })).toEqual({
      servers: { docs },
      origins: { docs: 'a' },
      refused: [],
    });
    const differing = [bringing('a', { docs }), bringing('b', { docs: other })];
    expect(servers(differing, { a: { docs }, b: { docs: other } })).toEqual({
      servers: { docs },
      origins: { docs: 'a' },
      refused: [
        {
          server: 'docs',
          skill: 'b',
          reason: 'a already provides another server with that name; exclude one of the two skills',
          remedy: null,
        },
      ],
    });
  });

  test('only with a selected skill', () => {
    const skills = [aSkill('a', { phases: ['q'], mcpServers: { docs } })];
    expect(selectSkills({ skills, mcpServers: { a: { docs } } }, { phase: 'p' }).mcpServers.servers).toEqual(
      {},
    );
  });
});

test.each(['__proto__', 'constructor', 'a b: {', 'true', '…'])(
  'a server called %s is treated like any other',
  (name) => {
    const mine = Object.fromEntries([
      [name, { command: 'yes', args: ['null', 'a: b, {c}', '1.0', 'line\nbreak'] }],
    ]);
    const skill: Skill = { ...aSkill('a'), sidecar: { ...aSkill('a').sidecar, mcpServers: mine } };
    const { refused } = servers([skill], {});
    expect(refused).toHaveLength(1);
    const { grants } = parse(refused[0]?.remedy ?? '');
    expect(Object.entries(grants.a.mcpServers)).toEqual(Object.entries(mine));
    const { servers: given, origins } = servers([skill], { a: grants.a.mcpServers });
    expect([Object.entries(given), Object.entries(origins)]).toEqual([Object.entries(mine), [[name, 'a']]]);
  },
);
