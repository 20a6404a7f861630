import type { TextRule } from './text-rule.ts';

const writes = String.raw`(?:>>?|\btee\b|\b(?:add|append|write|save|insert|update|edit|modify|put|copy|place|inject|install|prepend|store|include|create|replace|overwrite|persist)\b)`;
const writesInCode = String.raw`["'\x60]?\)?[^\n]{0,60}(?:\.write_text|\.write\(|,\s*["'][aw]b?\+?["']|appendFile|writeFile|\.open\(["'][aw])`;
const memory = String.raw`(?:\b(?:CLAUDE|AGENTS|MEMORY|SOUL|GEMINI|USER|IDENTITY|HEARTBEAT)(?:\.local)?\.md\b|\.claude\/(?:settings[\w.]*|commands|agents|hooks|skills|rules)|\.claude\.json|\.cursor\/(?:rules|mcp\.json)|\.cursorrules|\.windsurfrules|copilot-instructions\.md|\.mcp\.json|\.codex\/config\.toml|\.gemini\/settings|claude_desktop_config\.json)`;
const startup = String.raw`(?:~?\/?\.(?:bashrc|zshrc|profile|bash_profile|zprofile|zshenv|bash_login)\b|config\.fish\b|\bauthorized_keys\b|\.config\/autostart|\bLaunch(?:Agents|Daemons)\b|\.config\/systemd|\/etc\/(?:cron|systemd|profile|rc\.local|init\.d)|\.git\/hooks|core\.hooksPath|\bCurrentVersion\\{1,2}Run\b|sitecustomize\.py|usercustomize\.py)`;

const memoryWords = [
  ...['claude', 'agents', 'memory', 'soul', 'gemini', 'cursor', 'cursorrules', 'windsurfrules', 'copilot'],
  ...['mcp', 'codex', 'claude_desktop_config', 'user', 'identity', 'heartbeat'],
];
const startupWords = [
  ...[
    'bashrc',
    'zshrc',
    'profile',
    'bash_profile',
    'zprofile',
    'zshenv',
    'bash_login',
    'fish',
    'authorized_keys',
  ],
  ...['autostart', 'launchagents', 'launchdaemons', 'systemd', 'etc', 'hooks', 'hookspath', 'currentversion'],
  ...['sitecustomize', 'usercustomize'],
];

const memorySentence =
  'The text writes to an agent’s memory or settings, so that it acts in later sessions, without the skill. Do not allow the change unless you asked for it.';
const startupSentence =
  'The text changes what runs when you log in, commit or start the machine, so that it outlives the skill. Do not allow the change unless you asked for it.';

/** Text that writes to places that act later, in other sessions. */
export const persistenceRules: readonly TextRule[] = [
  {
    rule: 'agent-memory',
    words: memoryWords,
    pattern: new RegExp(String.raw`${writes}(?:[^\n.]|\.(?!\s)){0,100}?${memory}`, 'gi'),
    explained: 'warning',
    sentence: memorySentence,
  },
  {
    rule: 'agent-memory',
    words: memoryWords,
    pattern: new RegExp(memory + writesInCode, 'gi'),
    explained: 'never',
    sentence: memorySentence,
  },
  {
    rule: 'agent-memory',
    words: ['remember', 'memorize', 'memory'],
    pattern:
      /\b(?:remember|memori[sz]e|(?:store|save|add|write)\b[^\n.]{0,60}\b(?:long-?term |persistent |your )memory)\b[^\n.]{0,60}\b(?:always|every (?:future )?(?:session|conversation|task)|all future|from now on|permanently)\b/gi,
    explained: 'quoted',
    sentence: memorySentence,
  },
  {
    rule: 'persistence',
    words: startupWords,
    pattern: new RegExp(String.raw`${writes}[^\n]{0,80}?${startup}`, 'gi'),
    explained: 'warning',
    sentence: startupSentence,
  },
  {
    rule: 'persistence',
    words: startupWords,
    pattern: new RegExp(startup + writesInCode, 'gi'),
    explained: 'never',
    sentence: startupSentence,
  },
  {
    rule: 'persistence',
    words: ['crontab', 'systemctl', 'launchctl', 'schtasks', 'hookspath'],
    pattern:
      /(?:\|\s*crontab\s+-|\bcrontab\s+(?:-\s|-$|\/|[\w./]+\.(?:txt|cron))|\bsystemctl\s+(?:--user\s+)?enable\b|\blaunchctl\s+(?:load|bootstrap)\b|\bschtasks\s+\/create\b|git\s+config\s+[^\n]{0,40}core\.hooksPath)/gim,
    explained: 'warning',
    sentence: startupSentence,
  },
];
