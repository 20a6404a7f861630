import type { Capabilities, NetworkRule } from './capabilities.ts';
import { liesWithin } from './filesystem.ts';
import { ruleIncludes } from './network.ts';
import { programsNamed } from './program-sets.ts';

/**
 * What both `capabilities` and `ceiling` allow. Of two that overlap and of which neither includes the other nothing is
 * left: no rule could say what they share. A ceiling to write a path is one to read it as well, as with grants.
 */
export function withinCeiling(capabilities: Capabilities, ceiling: Capabilities): Capabilities {
  const { filesystem, network, env, secrets, exec, state, memory } = capabilities;
  return {
    filesystem: {
      read: shared(filesystem.read, [...ceiling.filesystem.read, ...ceiling.filesystem.write], pathCovers),
      write: shared(filesystem.write, ceiling.filesystem.write, pathCovers),
    },
    network: shared(network, ceiling.network, ruleIncludes),
    env: env.filter((name) => ceiling.env.includes(name)),
    secrets: secrets.flatMap(({ name, hosts }) => {
      const most = ceiling.secrets.filter((secret) => secret.name === name).flatMap((secret) => secret.hosts);
      const left = shared(hosts, most, ruleIncludes);
      return left.length === 0 ? [] : [{ name, hosts: left }];
    }),
    exec: shared(exec, ceiling.exec, programsCover),
    state: lower(['none', 'read', 'write'], state, ceiling.state),
    memory: lower(['none', 'read'], memory, ceiling.memory),
  };
}

/** Of each pair the narrower one, once. */
function shared<Item extends NetworkRule>(
  wished: readonly Item[],
  most: readonly Item[],
  covers: (wide: Item, narrow: Item) => boolean,
): Item[] {
  const left = wished.flatMap((wish) => {
    if (most.some((bound) => covers(bound, wish))) return [wish];
    return most.filter((bound) => covers(wish, bound));
  });
  return [...new Set(left)];
}

function pathCovers(wide: string, narrow: string): boolean {
  return wide === narrow || (wide.startsWith('/') && narrow.startsWith('/') && liesWithin(narrow, wide));
}

function programsCover(wide: string, narrow: string): boolean {
  const { programs } = programsNamed(wide);
  return programsNamed(narrow).programs.every((program) => programs.includes(program));
}

function lower<Level>(levels: readonly Level[], one: Level, other: Level): Level {
  return levels.indexOf(one) < levels.indexOf(other) ? one : other;
}
