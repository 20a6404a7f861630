import type { CallToolResult } from '@modelcontextprotocol/server';

/** Text as a tool's answer. */
export function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}
