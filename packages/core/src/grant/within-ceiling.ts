import type { Capabilities } from '../capability/capabilities.ts';
import { liesWithin } from '../capability/filesystem.ts';
import { programsNamed } from '../capability/program-sets.ts';
import type { NetworkRule } from '../egress/network-rule.ts';
import { ruleIncludes } from '../egress/network-rule.ts';

/**
 * Returns what both `capabilities` and `ceiling` allow. Two rules that overlap without one including the
 * other leave nothing, because no rule expresses their intersection. A ceiling for writing a path
 * includes reading it, as in grants.
 */
export function withinCeiling(capabilities: Capabilities, ceiling: Capabilities): Capabilities {
  const { filesystem, network, env, secrets, exec, state, memory } = capabilities;
  const both: Capabilities = {
    filesystem: {
      read: shared(filesystem.read, [...ceiling.filesystem.read, ...ceiling.filesystem.write], pathCovers),
      write: shared(filesystem.write, ceiling.filesystem.write, pathCovers),
    },
    network: shared(network, ceiling.network, ruleIncludes),
    env: env.filter((name) => ceiling.env.includes(name)),
    secrets: secrets.flatMap(({ name, hosts }) => {
      const allowed = ceiling.secrets
        .filter((secret) => secret.name === name)
        .flatMap((secret) => secret.hosts);
      const left = shared(hosts, allowed, ruleIncludes);
      return left.length === 0 ? [] : [{ name, hosts: left }];
    }),
    exec: shared(exec, ceiling.exec, programsCover),
    state: lower(['none', 'read', 'write'], state, ceiling.state),
    memory: lower(['none', 'read'], memory, ceiling.memory),
  };
  if (capabilities.host === true && ceiling.host === true) both.host = true;
  return both;
}

/** The narrower of each pair, without duplicates. */
function shared<Item extends NetworkRule>(
  wanted: readonly Item[],
  allowed: readonly Item[],
  covers: (wide: Item, narrow: Item) => boolean,
): Item[] {
  const left = wanted.flatMap((item) => {
    if (allowed.some((bound) => covers(bound, item))) return [item];
    return allowed.filter((bound) => covers(item, bound));
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

function lower<Level>(levels: readonly Level[], a: Level, b: Level): Level {
  return levels.indexOf(a) < levels.indexOf(b) ? a : b;
}
