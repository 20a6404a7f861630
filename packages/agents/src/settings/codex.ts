import { type McpServer, mcpServer, unreadableServer } from './mcp-server.ts';
import type { TargetInput, TargetSettings } from './target-settings.ts';
import { listedTools, type ToolName, unknownTools } from './tool-names.ts';

/**
 * Overrides for `codex` and `codex exec`, each a `-c key=value` with TOML values. Codex has no list of
 * tools. It has a shell, a sandbox that can refuse writes, a web search, and a list of tools for each MCP
 * server. `Bash` switches on the shell, `Write` or `Edit` makes the workspace writable, and `WebSearch`
 * switches on the search. With every tool, its other features keep their defaults.
 *
 * Source: developers.openai.com/codex/config-reference and /codex/mcp; `codex-rs/core/config.schema.json`.
 */
export function codexSettings({ prompt, tools, mcpServers, model }: TargetInput): TargetSettings {
  const isAll = tools.allowed === 'all';
  const allowed = listedTools(tools.allowed);
  const has = (...names: string[]): boolean =>
    isAll || allowed.some(({ name, rule }) => names.includes(name) && rule === undefined);
  const shell = has('Bash');
  const writes = has(...writing);
  const off = isAll ? [] : shell ? switchedOff : [...switchedOff, ...withoutShell];
  const servers = serverOverrides(mcpServers.servers, isAll ? 'all' : allowed);
  const settings: [string, TomlValue][] = [
    ...(prompt === '' ? [] : [['developer_instructions', prompt] satisfies [string, TomlValue]]),
    ['approval_policy', 'never'],
    ['sandbox_mode', writes ? 'workspace-write' : 'read-only'],
    ['web_search', has('WebSearch') ? 'live' : 'disabled'],
    ['features.shell_tool', shell],
    ['features.unified_exec', shell],
    ...off.map((name): [string, TomlValue] => [`features.${name}`, false]),
    ['mcp_servers', servers.table],
    ...(model === undefined ? [] : [['model', model] satisfies [string, TomlValue]]),
  ];
  return {
    args: settings.flatMap(([key, value]) => ['-c', `${key}=${toml(value)}`]),
    limits: [
      ...servers.limits,
      ...(writes ? [] : ['The patch tool of Codex stays on; the read-only sandbox refuses its writes.']),
      ...(shell || !has(...reading)
        ? []
        : ['Codex reads and searches files with its shell, which is off because Bash is not allowed.']),
      ...(shell && !writes
        ? [
            'The shell of Codex runs any command that its read-only sandbox permits, and reads any visible file.',
          ]
        : []),
      ...ruleLimits(allowed),
      ...(isAll ? ['The sandbox of Codex stays on: it writes only to the workspace.'] : []),
      'Codex adds the MCP servers of ~/.codex/config.toml; `codex exec --ignore-user-config` leaves them out.',
      ...unknownTools(
        'Codex',
        allowed.filter(({ name, mcp }) => mcp === undefined && !known.includes(name)),
      ),
    ],
  };
}

const writing = ['Write', 'Edit', 'MultiEdit', 'NotebookEdit'];
const reading = ['Read', 'Glob', 'Grep', 'LS'];
const known = ['Bash', 'WebSearch', ...writing, ...reading];

/** Other features that run programs. */
const withoutShell = ['code_mode', 'code_mode_host'];

/** Features with tools of their own. */
const switchedOff = [
  'apps',
  'multi_agent',
  'browser_use',
  'computer_use',
  'js_repl',
  'image_generation',
  'plugins',
  'hooks',
];

function ruleLimits(allowed: readonly ToolName[]): string[] {
  const ruled = allowed.filter(({ rule, mcp }) => rule !== undefined && mcp === undefined);
  if (ruled.length === 0) return [];
  return [
    `Codex cannot allow a part of a tool, so ${ruled.map(({ text }) => text).join(', ')} is not allowed.`,
  ];
}

/** Each server with its allowed tools; an empty list if none is allowed. */
function serverOverrides(
  servers: TargetInput['mcpServers']['servers'],
  allowed: readonly ToolName[] | 'all',
): { table: Record<string, TomlValue>; limits: string[] } {
  const table: Record<string, TomlValue> = {};
  const limits: string[] = [];
  for (const [name, definition] of Object.entries(servers)) {
    const server = mcpServer(definition);
    if (server === undefined) {
      limits.push(unreadableServer(name));
      continue;
    }
    if (allowed === 'all') {
      table[name] = { ...reached(server), enabled: true };
      continue;
    }
    const its = allowed.filter(({ mcp }) => mcp?.server === name);
    const all = its.some(({ mcp }) => mcp !== undefined && mcp.tool === undefined);
    const settings = { ...reached(server), enabled: its.length > 0 };
    table[name] = all ? settings : { ...settings, enabled_tools: its.flatMap(({ mcp }) => mcp?.tool ?? []) };
  }
  return { table, limits };
}

function reached(server: McpServer): Record<string, TomlValue> {
  if (server.kind === 'remote') return { url: server.url, http_headers: server.headers };
  const { command, args, env, cwd } = server;
  return cwd === undefined ? { command, args, env } : { command, args, env, cwd };
}

type TomlValue = string | boolean | string[] | { [key: string]: TomlValue };

/** A value on one line. JSON strings are TOML's basic strings, except that TOML requires DEL to be escaped. */
function toml(value: TomlValue): string {
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return JSON.stringify(value).replaceAll('\u007f', '\\u007f');
  if (Array.isArray(value)) return `[${value.map(toml).join(', ')}]`;
  return `{${Object.entries(value)
    .map(([key, each]) => `${toml(key)} = ${toml(each)}`)
    .join(', ')}}`;
}
