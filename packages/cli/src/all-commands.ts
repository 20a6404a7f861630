import { type Command, globalOptions, longOf, type OptionSpec } from './command/define-command.ts';

/**
 * The commands by the first word of their names, in the order of the help. Most of the time that a command takes is the loading
 * of code, so a line loads only the commands that it can mean.
 */
const groups: Readonly<Record<string, () => Promise<readonly Command[]>>> = {
  serve: async () => [(await import('./commands/serve/serve.ts')).serveCommand],
  stop: async () => [(await import('./commands/stop.ts')).stopCommand],
  run: async () => [(await import('./commands/run/run.ts')).runCommand],
  workspace: async () => (await import('./commands/workspace.ts')).workspaceCommands,
  skills: async () => (await import('./commands/skills/skills.ts')).skillsCommands,
  grant: async () => [(await import('./commands/grant/grant.ts')).grantCommand],
  grants: async () => [(await import('./commands/grant/grants.ts')).grantsCommand],
  prompt: async () => [(await import('./commands/prompt.ts')).promptCommand],
  mcp: async () => [(await import('./commands/mcp.ts')).mcpCommand],
  import: async () => [(await import('./commands/import.ts')).importCommand],
  export: async () => [(await import('./commands/export.ts')).exportCommand],
  audit: async () => (await import('./commands/audit/audit.ts')).auditCommands,
  key: async () => (await import('./commands/key.ts')).keyCommands,
  store: async () => (await import('./commands/store.ts')).storeCommands,
  console: async () => (await import('./commands/console.ts')).consoleCommands,
  cluster: async () => (await import('./commands/cluster.ts')).clusterCommands,
  doctor: async () => [(await import('./commands/doctor.ts')).doctorCommand],
  config: async () => (await import('./commands/config.ts')).configCommands,
  trust: async () => [(await import('./commands/trust.ts')).trustCommand],
  completion: async () => (await import('./commands/completion.ts')).completionCommands,
};

/** Every command. A command comes after the one above it. */
async function allCommands(): Promise<readonly Command[]> {
  return (await Promise.all(Object.values(groups).map((load) => load()))).flat();
}

/** The commands that a line can mean: those with its first word, or every command, such as for an empty line. */
export async function commandsOf(argv: readonly string[]): Promise<readonly Command[]> {
  const word = firstWord(argv) ?? '';
  // Completion needs all of them.
  return Object.hasOwn(groups, word) && word !== 'completion' ? (groups[word]?.() ?? []) : allCommands();
}

/** The first word that is neither an option nor its value. */
function firstWord(argv: readonly string[]): string | undefined {
  const withValue = Object.entries<OptionSpec>(globalOptions).flatMap(([key, spec]) =>
    spec.value === undefined ? [] : [longOf(key, spec)],
  );
  return argv.find((word, at) => !word.startsWith('-') && !withValue.includes(argv[at - 1] ?? ''));
}
