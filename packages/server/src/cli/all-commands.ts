import type { Command } from './command/define-command.ts';
import { auditCommands } from './commands/audit/audit.ts';
import { clusterCommands } from './commands/cluster.ts';
import { completionCommands } from './commands/completion.ts';
import { configCommands } from './commands/config.ts';
import { consoleCommands } from './commands/console.ts';
import { doctorCommand } from './commands/doctor.ts';
import { exportCommand } from './commands/export.ts';
import { importCommand } from './commands/import.ts';
import { keyCommands } from './commands/key.ts';
import { mcpCommand } from './commands/mcp.ts';
import { promptCommand } from './commands/prompt.ts';
import { runCommand } from './commands/run/run.ts';
import { serveCommand } from './commands/serve/serve.ts';
import { skillsCommands } from './commands/skills/skills.ts';
import { stopCommand } from './commands/stop.ts';
import { storeCommands } from './commands/store.ts';
import { trustCommand } from './commands/trust.ts';
import { workspaceCommands } from './commands/workspace.ts';

/** Every command, in the order of the help. A command comes after the one above it. */
export const allCommands: readonly Command[] = [
  serveCommand,
  stopCommand,
  runCommand,
  ...workspaceCommands,
  ...skillsCommands,
  promptCommand,
  mcpCommand,
  importCommand,
  exportCommand,
  ...auditCommands,
  ...keyCommands,
  ...storeCommands,
  ...consoleCommands,
  ...clusterCommands,
  doctorCommand,
  ...configCommands,
  trustCommand,
  ...completionCommands,
];
