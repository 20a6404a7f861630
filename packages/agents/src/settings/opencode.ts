import { type McpServer, mcpServer, unreadableServer } from './mcp-server.ts';
import type { TargetInput, TargetSettings } from './target-settings.ts';
import { listedTools, type ToolName, unknownTools } from './tool-names.ts';

/**
 * A configuration with one agent, `ambit`, and the arguments that start it. The configuration is in the
 * environment, which overrides the project's. OpenCode applies the last matching rule, so the first rule
 * denies everything and allowed tools follow. Tools of MCP servers are `server_tool`. The prompt is a
 * file, because OpenCode replaces `{env:…}` and `{file:…}` in a configuration.
 *
 * Source: opencode.ai/docs/permissions, /docs/agents, /docs/mcp-servers and /docs/config; the types of
 * `@opencode-ai/sdk` 1.19.
 */
export function opencodeSettings({
  prompt,
  tools,
  mcpServers,
  model,
  folder = '.',
}: TargetInput): TargetSettings {
  const isAll = tools.allowed === 'all';
  const allowed = listedTools(tools.allowed);
  const permission = isAll ? { '*': 'allow' } : { '*': 'deny', ...permissions(allowed) };
  const servers = serverTable(mcpServers.servers);
  const agent = {
    description: 'Works within the skills that were selected for it.',
    mode: 'primary',
    prompt: prompt === '' ? undefined : `{file:${folder}/prompt.md}`,
    model,
    permission,
  };
  const config = {
    $schema: 'https://opencode.ai/config.json',
    share: 'disabled',
    default_agent: name,
    permission,
    agent: { [name]: agent },
    mcp: servers.table,
  };
  const args = ['--agent', name];
  const env = { OPENCODE_CONFIG_CONTENT: JSON.stringify(config), OPENCODE_DISABLE_PROJECT_CONFIG: '1' };
  const limits = [
    ...servers.limits,
    ...(isAll
      ? ['OpenCode also starts MCP servers of the user, and their tools are allowed.']
      : [
          'OpenCode has one permission for Write and Edit, so allowing either allows both.',
          'OpenCode also starts MCP servers of the user, but their tools are denied.',
        ]),
    ...unknownTools(
      'OpenCode',
      allowed.filter(({ name: tool, mcp }) => mcp === undefined && !Object.hasOwn(permissionOf, tool)),
    ),
  ];
  if (prompt === '') return { args, env, limits };
  return { args, env, files: [{ path: 'prompt.md', content: prompt }], limits };
}

const name = 'ambit';

/** The permission of each tool. */
const permissionOf: Readonly<Record<string, string>> = {
  Read: 'read',
  Write: 'edit',
  Edit: 'edit',
  MultiEdit: 'edit',
  Glob: 'glob',
  Grep: 'grep',
  LS: 'list',
  Bash: 'bash',
  Task: 'task',
  Skill: 'skill',
  WebFetch: 'webfetch',
  WebSearch: 'websearch',
  TodoWrite: 'todowrite',
  AskUserQuestion: 'question',
};

function permissions(allowed: readonly ToolName[]): Record<string, unknown> {
  const rules: Record<string, unknown> = {};
  for (const { name: tool, rule, mcp } of allowed) {
    if (mcp !== undefined) {
      rules[`${plain(mcp.server)}_${mcp.tool === undefined ? '*' : plain(mcp.tool)}`] = 'allow';
      continue;
    }
    const permission = Object.hasOwn(permissionOf, tool) ? permissionOf[tool] : undefined;
    if (permission === undefined || rules[permission] === 'allow') continue;
    if (rule === undefined) rules[permission] = 'allow';
    // OpenCode writes `git:*` as `git *`.
    else
      rules[permission] = {
        '*': 'deny',
        ...(rules[permission] ?? {}),
        [rule.replace(/:\*$/, ' *')]: 'allow',
      };
  }
  return rules;
}

/** A name sanitized the way OpenCode does it. */
function plain(text: string): string {
  return text.replace(/[^a-zA-Z0-9_-]/g, '_');
}

function serverTable(servers: TargetInput['mcpServers']['servers']): {
  table: Record<string, unknown>;
  limits: string[];
} {
  const read = Object.entries(servers).map(([each, definition]) => [each, mcpServer(definition)] as const);
  return {
    table: Object.fromEntries(
      read.flatMap(([each, server]) => (server === undefined ? [] : [[each, reached(server)]])),
    ),
    limits: read.flatMap(([each, server]) => (server === undefined ? [unreadableServer(each)] : [])),
  };
}

function reached(server: McpServer): Record<string, unknown> {
  if (server.kind === 'remote')
    return { type: 'remote', url: server.url, headers: server.headers, enabled: true };
  const { command, args, env, cwd } = server;
  return {
    type: 'local',
    command: [command, ...args],
    environment: env,
    cwd,
    enabled: true,
  };
}
