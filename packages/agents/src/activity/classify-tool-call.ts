import type { ActivityKind } from './activity-kind.ts';
import { commandActivities } from './command-activities.ts';
import { sensitivePath } from './sensitive-path.ts';

/** A call that an agent reports: the agent's name for the tool, and any arguments. */
export interface AgentToolCall {
  tool: string;
  input: unknown;
}

/**
 * Classifies a call of an agent's tool, for records of the agent's activity. A call can have several
 * kinds, listed once each in the order of `ActivityKind`. Empty for any other call, and for a call
 * without the relevant arguments.
 *
 * This is not a defence: it only reads text, and a command can be disguised. It does not write to
 * Ambit's audit log, which records only what Ambit itself observed.
 */
export function classifyToolCall({ tool, input }: AgentToolCall): ActivityKind[] {
  const fields = typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {};
  const name = tool.toLowerCase();
  const found = new Set<ActivityKind>();
  const command = shellTools.has(name) ? commandOf(fields) : '';
  if (command.trim() !== '') {
    found.add('bash-command');
    for (const kind of commandActivities(command)) found.add(kind);
  }
  if (browsingTools.has(name) && isWebUrl(fields['url'])) found.add('url-browsed');
  if (writingTools.has(name) && pathsOf(fields).some(sensitivePath)) found.add('sensitive-file-write');
  return order.filter((kind) => found.has(kind));
}

const order: readonly ActivityKind[] = [
  'bash-command',
  'url-browsed',
  'sensitive-file-write',
  'package-install',
  'outbound-transfer',
];

/** In lower case: the tools of Claude Code, Codex, OpenCode, Amp and similar agents. */
const shellTools: ReadonlySet<string> = new Set(
  'bash shell local_shell exec exec_command run_command run_shell_command execute_command terminal'.split(
    ' ',
  ),
);
const browsingTools: ReadonlySet<string> = new Set(
  'webfetch web_fetch fetch read_web_page browser_navigate open_url browse'.split(' '),
);
const writingTools: ReadonlySet<string> = new Set(
  'write edit multiedit notebookedit write_file edit_file create_file apply_patch patch str_replace'.split(
    ' ',
  ),
);

/** The command line. A list of arguments is joined, with shell syntax quoted. */
function commandOf({ command, cmd }: Record<string, unknown>): string {
  const words = command ?? cmd;
  if (typeof words === 'string') return words;
  if (!Array.isArray(words)) return '';
  return words
    .map((word) => (/^[\w./:=@+-]+$/.test(String(word)) ? String(word) : quoted(String(word))))
    .join(' ');
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function isWebUrl(url: unknown): boolean {
  return typeof url === 'string' && /^https?:\/\//i.test(url.trim());
}

const pathFields = ['file_path', 'filePath', 'notebook_path', 'path'];

/** The paths of a call, including the files in the headers of a patch. */
function pathsOf(fields: Record<string, unknown>): string[] {
  const patch = fields['patch'] ?? fields['input'] ?? fields['patchText'];
  const patched =
    typeof patch === 'string'
      ? [...patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map(([, path = '']) => path.trim())
      : [];
  return [...pathFields.map((field) => fields[field]), ...patched].filter((path) => typeof path === 'string');
}
