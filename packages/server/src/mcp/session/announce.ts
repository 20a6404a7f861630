import type { McpServer } from '@modelcontextprotocol/server';

/** Tells the client of a server that what it has listed is not what there is: skills are tools, prompts and resources. */
export function announce({ server }: McpServer): void {
  const sent = [
    server.sendToolListChanged(),
    server.sendPromptListChanged(),
    server.sendResourceListChanged(),
  ];
  // A client that is gone will list anew when it is back.
  for (const each of sent) each.catch(() => undefined);
}
