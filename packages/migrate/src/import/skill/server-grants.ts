import { readSidecar } from '@ambit/core/skill';
import { type ImportedSkill, quote, type ReportLine, type SettingsFragment } from './imported.ts';

/** The grants of the MCP servers that skills ask for, with a line for each: what it starts is for a person to judge. */
export function serverGrants(
  skills: readonly ImportedSkill[],
  lines: ReportLine[],
): SettingsFragment['grants'] {
  const grants: Record<string, SettingsFragment['grants'][string]> = {};
  for (const { id, sidecar = '' } of skills) {
    if (!sidecar.includes('mcpServers')) continue;
    const { mcpServers } = readSidecar(sidecar);
    for (const server of Object.keys(mcpServers)) {
      const text = `needs the MCP server ${quote(server)}; the settings grant it, so read its definition before you add them`;
      lines.push({ kind: 'to-do', about: id, text });
    }
    if (Object.keys(mcpServers).length > 0) grants[id] = { mcpServers };
  }
  return grants;
}
