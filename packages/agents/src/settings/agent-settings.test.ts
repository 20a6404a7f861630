// Threat model: T98, T125

import type { EffectiveTools } from '@ambit/core/select';
import { expect, test } from 'vitest';
import { type AgentTarget, agentSettings, agentTargets } from './agent-settings.ts';
import type { TargetInput } from './target-settings.ts';

const prompt = 'Say "hi".\n{folder} {env:HOME}\u007f';

function input(allowed: EffectiveTools['allowed'], more: Partial<TargetInput> = {}): TargetInput {
  const tools: EffectiveTools = { allowed, withheld: ['WebFetch'], beyondPhase: [], from: 'configured' };
  return {
    prompt,
    tools,
    folder: '/run/agent',
    mcpServers: {
      servers: {
        issues: { command: 'issues-mcp', args: ['--stdio'], env: { LEVEL: 'info' } },
        docs: { url: 'https://docs.example/mcp', headers: { 'X-Team': 'a' } },
      },
      origins: {},
      refused: [],
    },
    ...more,
  };
}

const none = input([], {
  mcpServers: { servers: {}, origins: {}, refused: [] },
  prompt: '',
  tools: { allowed: [], withheld: [], beyondPhase: [], from: 'unknown-phase' },
});

/** Each target's settings without a tool, a server or a prompt, except `limits`. */
const nothingAllowed: Record<AgentTarget, object> = {
  'claude-code': {
    args: [
      ...['--tools', '', '--permission-mode', 'dontAsk'],
      ...['--mcp-config', '{"mcpServers":{}}', '--strict-mcp-config', '--setting-sources', ''],
    ],
  },
  'claude-sdk': {
    options: {
      systemPrompt: { type: 'preset', preset: 'claude_code' },
      tools: [],
      allowedTools: [],
      disallowedTools: [],
      permissionMode: 'dontAsk',
      mcpServers: {},
      strictMcpConfig: true,
      settingSources: [],
    },
  },
  codex: {
    args: [
      'approval_policy="never"',
      'sandbox_mode="read-only"',
      'web_search="disabled"',
      'features.shell_tool=false',
      'features.unified_exec=false',
      'features.apps=false',
      'features.multi_agent=false',
      'features.browser_use=false',
      'features.computer_use=false',
      'features.js_repl=false',
      'features.image_generation=false',
      'features.plugins=false',
      'features.hooks=false',
      'features.code_mode=false',
      'features.code_mode_host=false',
      'mcp_servers={}',
    ].flatMap((override) => ['-c', override]),
  },
  opencode: {
    args: ['--agent', 'ambit'],
    env: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        $schema: 'https://opencode.ai/config.json',
        share: 'disabled',
        default_agent: 'ambit',
        permission: { '*': 'deny' },
        agent: {
          ambit: {
            description: 'Works within the skills that were selected for it.',
            mode: 'primary',
            permission: { '*': 'deny' },
          },
        },
        mcp: {},
      }),
      OPENCODE_DISABLE_PROJECT_CONFIG: '1',
    },
  },
  amp: {
    args: ['--settings-file', '/run/agent/settings.json'],
    files: [
      {
        path: 'settings.json',
        content: json({
          'amp.tools.enable': [],
          'amp.tools.disable': ['*'],
          'amp.permissions': [{ tool: '*', action: 'reject' }],
          'amp.dangerouslyAllowAll': false,
          'amp.mcpServers': {},
        }),
      },
    ],
  },
  aider: {
    args: [
      ...['--chat-mode', 'ask', '--dry-run'],
      ...['--no-suggest-shell-commands', '--no-auto-lint', '--no-auto-test', '--no-detect-urls'],
    ],
  },
  process: {
    env: { AMBIT_ALLOWED_TOOLS: '[]', AMBIT_SELECTION: '/run/agent/selection.json' },
    files: [
      {
        path: 'selection.json',
        content: json({ prompt: '', allowedTools: [], withheldTools: [], mcpServers: {}, model: null }),
      },
    ],
  },
};

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

test.each(agentTargets)('%s: converts an empty list to no tools, never to all', (target) => {
  const { limits, ...settings } = agentSettings(target, none);
  expect(settings).toEqual(nothingAllowed[target]);
  expect(limits[0]).toBe(
    'The agent gets no tools, because its phase is not configured; to give it tools, configure phases.NAME.tools: a list, or all.',
  );
  expect(limits.filter((limit) => !/^[A-Z].*\.$/.test(limit))).toEqual([]);
});

/** The settings by which each target lets files be read and one tool of one server be used. */
const told: Record<AgentTarget, (settings: ReturnType<typeof agentSettings>) => object> = {
  'claude-code': ({ args = [], files = [] }) => ({
    tools: args[args.indexOf('--tools') + 1],
    allowed: args[args.indexOf('--allowedTools') + 1],
    disallowed: args[args.indexOf('--disallowedTools') + 1],
    prompt: files[0]?.content === prompt,
    reads: args[args.indexOf('--append-system-prompt-file') + 1],
  }),
  'claude-sdk': ({ options: { tools, allowedTools, disallowedTools, systemPrompt } = {} }) => ({
    tools: String(tools),
    allowed: String(allowedTools),
    disallowed: String(disallowedTools),
    prompt: (systemPrompt as { append: string }).append === prompt,
  }),
  codex: ({ args = [] }) => ({
    servers: args.find((arg) => arg.startsWith('mcp_servers=')),
    prompt: args.includes('developer_instructions="Say \\"hi\\".\\n{folder} {env:HOME}\\u007f"'),
  }),
  opencode: ({ env = {}, files = [] }) => {
    const { agent, mcp } = JSON.parse(env['OPENCODE_CONFIG_CONTENT'] ?? '');
    return {
      ...agent.ambit.permission,
      reads: agent.ambit.prompt,
      mcp,
      prompt: files[0]?.content === prompt,
    };
  },
  amp: ({ files = [] }) => {
    const settings = JSON.parse(files[0]?.content ?? '');
    return {
      tools: settings['amp.tools.enable'],
      rules: settings['amp.permissions'],
      disabled: settings['amp.tools.disable'],
      prompt: settings['amp.systemPrompt'] === prompt,
    };
  },
  aider: ({ args = [], files = [] }) => ({ args: args.slice(0, 5), prompt: files[0]?.content === prompt }),
  process: ({ env = {}, files = [] }) => ({
    tools: env['AMBIT_ALLOWED_TOOLS'],
    file: JSON.parse(files[0]?.content ?? ''),
  }),
};

const allowed = ['Read', 'Bash(git:*)', 'mcp__issues__get'];

const server = { 'amp.mcpServers': { docs: { url: 'https://docs.example/mcp' } } };

/** Each target's settings with every tool and one server, except `limits`. */
const everythingAllowed: Record<AgentTarget, object> = {
  'claude-code': {
    args: [
      ...['--tools', 'default', '--permission-mode', 'bypassPermissions'],
      ...[
        '--mcp-config',
        '{"mcpServers":{"docs":{"url":"https://docs.example/mcp"}}}',
        '--strict-mcp-config',
      ],
      ...['--setting-sources', ''],
    ],
  },
  'claude-sdk': {
    options: {
      systemPrompt: { type: 'preset', preset: 'claude_code' },
      tools: { type: 'preset', preset: 'claude_code' },
      allowedTools: [],
      disallowedTools: [],
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
      mcpServers: server['amp.mcpServers'],
      strictMcpConfig: true,
      settingSources: [],
    },
  },
  codex: {
    args: [
      'approval_policy="never"',
      'sandbox_mode="workspace-write"',
      'web_search="live"',
      'features.shell_tool=true',
      'features.unified_exec=true',
      'mcp_servers={"docs" = {"url" = "https://docs.example/mcp", "http_headers" = {}, "enabled" = true}}',
    ].flatMap((override) => ['-c', override]),
  },
  opencode: {
    args: ['--agent', 'ambit'],
    env: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        $schema: 'https://opencode.ai/config.json',
        share: 'disabled',
        default_agent: 'ambit',
        permission: { '*': 'allow' },
        agent: {
          ambit: {
            description: 'Works within the skills that were selected for it.',
            mode: 'primary',
            permission: { '*': 'allow' },
          },
        },
        mcp: { docs: { type: 'remote', url: 'https://docs.example/mcp', headers: {}, enabled: true } },
      }),
      OPENCODE_DISABLE_PROJECT_CONFIG: '1',
    },
  },
  amp: {
    args: ['--settings-file', '/run/agent/settings.json'],
    files: [
      {
        path: 'settings.json',
        content: json({
          'amp.tools.enable': ['*'],
          'amp.permissions': [{ tool: '*', action: 'allow' }],
          'amp.dangerouslyAllowAll': false,
          ...server,
        }),
      },
    ],
  },
  aider: { args: [] },
  process: {
    env: { AMBIT_ALLOWED_TOOLS: '"all"', AMBIT_SELECTION: '/run/agent/selection.json' },
    files: [
      {
        path: 'selection.json',
        content: json({
          prompt: '',
          allowedTools: 'all',
          withheldTools: [],
          mcpServers: server['amp.mcpServers'],
          model: null,
        }),
      },
    ],
  },
};

test.each(agentTargets)('%s: permits every tool of the agent if the phase has all tools', (target) => {
  const { limits, ...settings } = agentSettings(
    target,
    input('all', {
      prompt: '',
      mcpServers: { servers: server['amp.mcpServers'], origins: {}, refused: [] },
      tools: { allowed: 'all', withheld: [], beyondPhase: [], from: 'unnarrowed' },
    }),
  );
  expect(settings).toEqual(everythingAllowed[target]);
  expect(limits.filter((limit) => limit.includes('no tools,'))).toEqual([]);
});

test.each([
  ['no-phase', 'the request names no phase'],
  ['unnarrowed', 'its phase has none; to give it tools, configure phases.NAME.tools: a list, or all'],
  ['configured', 'no selected skill asks for a tool of its phase'],
] as const)('the limits of an agent without tools begin with the reason: %s', (from, why) => {
  const tools: EffectiveTools = { allowed: [], withheld: [], beyondPhase: [], from };
  expect(agentSettings('process', input([], { tools })).limits).toEqual([
    `The agent gets no tools, because ${why}.`,
    'The program itself must respect the list; nothing enforces it.',
  ]);
});

const claude = {
  tools: 'Read,Bash',
  allowed: 'Read,Bash(git:*),mcp__issues__get',
  disallowed: 'WebFetch',
  prompt: true,
};

test.each<[AgentTarget, object]>([
  ['claude-code', { ...claude, reads: '/run/agent/prompt.md' }],
  ['claude-sdk', claude],
  [
    'codex',
    {
      servers:
        'mcp_servers={"issues" = {"command" = "issues-mcp", "args" = ["--stdio"], "env" = {"LEVEL" = "info"}, "enabled" = true, "enabled_tools" = ["get"]}, ' +
        '"docs" = {"url" = "https://docs.example/mcp", "http_headers" = {"X-Team" = "a"}, "enabled" = false, "enabled_tools" = []}}',
      prompt: true,
    },
  ],
  [
    'opencode',
    {
      '*': 'deny',
      read: 'allow',
      bash: { '*': 'deny', 'git *': 'allow' },
      issues_get: 'allow',
      reads: '{file:/run/agent/prompt.md}',
      mcp: {
        issues: {
          type: 'local',
          command: ['issues-mcp', '--stdio'],
          environment: { LEVEL: 'info' },
          enabled: true,
        },
        docs: { type: 'remote', url: 'https://docs.example/mcp', headers: { 'X-Team': 'a' }, enabled: true },
      },
      prompt: true,
    },
  ],
  [
    'amp',
    {
      tools: ['Read', 'mcp__issues__get'],
      rules: [
        { tool: 'Read', action: 'allow' },
        { tool: 'mcp__issues__get', action: 'allow' },
        { tool: '*', action: 'reject' },
      ],
      disabled: undefined,
      prompt: true,
    },
  ],
  ['aider', { args: ['--read', '/run/agent/prompt.md', '--chat-mode', 'ask', '--dry-run'], prompt: true }],
  [
    'process',
    {
      tools: JSON.stringify(allowed),
      file: {
        prompt,
        allowedTools: allowed,
        withheldTools: ['WebFetch'],
        model: null,
        mcpServers: input([]).mcpServers?.servers,
      },
    },
  ],
])('%s: allows the allowed tools and passes the prompt unchanged', (target, expected) => {
  const settings = agentSettings(target, input(allowed));
  expect(told[target](settings)).toEqual(expected);
});

test.each(agentTargets)('%s: never reads the name of a tool as every tool', (target) => {
  const { limits: _, ...settings } = agentSettings(
    target,
    input(['default', '*', 'Read,Bash', 'mcp__*', 'toString']),
  );
  const text = JSON.stringify(target === 'process' ? {} : settings);
  for (const all of ['"default"', '"*":"allow"', 'Read,Bash', '"mcp__*', '"tool":"*","action":"allow"']) {
    expect(text.replaceAll('\\"', '"').replaceAll(' ', '')).not.toContain(all);
  }
});

test('codex: enables the shell and a writable sandbox for the tools that need them', () => {
  const { args = [], limits } = agentSettings(
    'codex',
    input(['Read', 'Edit', 'Bash', 'WebSearch'], { model: 'm' }),
  );
  const overrides = args.filter((arg) => arg !== '-c');
  expect(overrides).toEqual(
    expect.arrayContaining([
      'sandbox_mode="workspace-write"',
      'features.shell_tool=true',
      'features.unified_exec=true',
      'web_search="live"',
      'model="m"',
    ]),
  );
  expect(limits).toEqual([
    'Codex adds the MCP servers of ~/.codex/config.toml; `codex exec --ignore-user-config` leaves them out.',
  ]);
});

test('codex: does not allow a part of a tool, and reports it', () => {
  const { args = [], limits } = agentSettings('codex', input(['Bash(git:*)', 'Teleport']));
  expect(args).toContain('features.shell_tool=false');
  expect(limits).toContain('Codex cannot allow a part of a tool, so Bash(git:*) is not allowed.');
  expect(limits).toContain('Codex has no tool for Teleport, so it gets none.');
});

test.each(agentTargets)(
  '%s: passes on an odd server definition, or reports that it is left out',
  (target) => {
    const mcpServers = { servers: { odd: { socket: '/run/odd' } }, origins: {}, refused: [] };
    const { limits, ...settings } = agentSettings(target, input([], { mcpServers }));
    const handsOn = ['claude-code', 'claude-sdk', 'amp', 'process'].includes(target);
    expect(JSON.stringify(settings).includes('/run/odd')).toBe(handsOn);
    expect(limits.some((limit) => limit.includes('odd') && limit.includes('left out'))).toBe(!handsOn);
  },
);

test('reports a prompt too long to start a program with', () => {
  const tooLong = 'An argument or variable exceeds 128 KiB, so Linux cannot start the program.';
  const limits = (target: AgentTarget, length: number): readonly string[] =>
    agentSettings(target, input([], { prompt: 'x'.repeat(length) })).limits;
  expect(limits('codex', 131_000)).not.toContain(tooLong);
  expect(limits('codex', 131_072)).toContain(tooLong);
  expect(limits('opencode', 131_072)).not.toContain(tooLong);
});
