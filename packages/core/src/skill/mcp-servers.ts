import { z } from 'zod';

/** MCP servers by name, each as in the agent's own configuration. */
export const McpServers = z.record(z.string(), z.record(z.string(), z.unknown()));
export type McpServers = z.output<typeof McpServers>;
