import { stringify } from 'yaml';
import type { McpServers } from '../../skill/mcp-servers.ts';
import type { Skill } from '../../skill/skill.ts';
import type { PreparedSkill } from '../prepared/prepared-catalog.ts';
import type { EffectiveMcpServers } from '../selection.ts';

type Refusal = Pick<EffectiveMcpServers['refused'][number], 'reason' | 'remedy'>;

/**
 * Combines the agent's own MCP servers with the servers of selected skills. A skill's server is
 * added only if the operator granted that exact definition, so changing it revokes it. It never
 * replaces a server of the agent or of another skill. Grants are checked once per skill.
 */
export function mcpServerRules(
  granted: Readonly<Record<string, McpServers>> = {},
): (skills: readonly PreparedSkill[], own: McpServers | undefined) => EffectiveMcpServers {
  const known = new WeakMap<Skill, ReadonlyMap<string, Refusal | undefined>>();
  const refusalsOf = (skill: Skill): ReadonlyMap<string, Refusal | undefined> => {
    const found = known.get(skill) ?? ungranted(skill, granted);
    known.set(skill, found);
    return found;
  };

  return (skills, own = {}) => {
    const servers = new Map(Object.entries(own));
    const origins = new Map<string, string>();
    const refused: EffectiveMcpServers['refused'][number][] = [];
    for (const { skill, mcpServers } of skills) {
      for (const [server, definition] of mcpServers) {
        const refusal = Object.hasOwn(own, server)
          ? { reason: 'the agent already has a server with that name', remedy: null }
          : (refusalsOf(skill).get(server) ?? taken(servers.get(server), origins.get(server), definition));
        if (refusal !== undefined) refused.push({ server, skill: skill.id, ...refusal });
        else if (!servers.has(server)) {
          servers.set(server, definition);
          origins.set(server, skill.id);
        }
      }
    }
    return { servers: Object.fromEntries(servers), origins: Object.fromEntries(origins), refused };
  };
}

/** By server: why it is not granted; `undefined` if it is. */
function ungranted(
  { id, sidecar }: Skill,
  granted: Readonly<Record<string, McpServers>>,
): ReadonlyMap<string, Refusal | undefined> {
  const grants = Object.hasOwn(granted, id) ? granted[id] : undefined;
  return new Map(
    Object.entries(sidecar.mcpServers).map(([server, definition]) => {
      const grant = grants !== undefined && Object.hasOwn(grants, server) ? grants[server] : undefined;
      if (grant !== undefined && canonical(grant) === canonical(definition)) return [server, undefined];
      const reason = grant === undefined ? 'not granted' : 'its definition differs from the granted one';
      return [server, { reason, remedy: serverGrantLine(id, server, definition) }];
    }),
  );
}

function taken(
  before: McpServers[string] | undefined,
  origin: string | undefined,
  definition: McpServers[string],
): Refusal | undefined {
  if (before === undefined || canonical(before) === canonical(definition)) return undefined;
  return {
    reason: `${origin} already provides another server with that name; exclude one of the two skills`,
    remedy: null,
  };
}

/** The line for `ambit.config.yaml` that grants a skill exactly this server. */
function serverGrantLine(id: string, server: string, definition: McpServers[string]): string {
  const grants = { [id]: { mcpServers: { [server]: definition } } };
  return `grants: ${stringify(grants, { collectionStyle: 'flow', lineWidth: 0 }).trim()}`;
}

/** JSON with sorted keys, so that equal values have equal texts. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${canonical(each)}`).join()}}`;
}
