import type { McpServer } from '@modelcontextprotocol/server';

/** Notifies a client that its lists have changed: skills are tools, prompts and resources. */
export function announce({ server }: McpServer): void {
  const sent = [
    server.sendToolListChanged(),
    server.sendPromptListChanged(),
    server.sendResourceListChanged(),
  ];
  // A disconnected client lists again when it reconnects.
  for (const each of sent) each.catch(() => undefined);
}
