// A plain MCP server on the official SDK. Its tool starts the script that is its argument.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const [script] = process.argv.slice(2);

serveStdio(() => {
  const server = new McpServer({ name: 'plain', version: '1.0.0' });
  const inputSchema = z.object({ input: z.unknown() });
  server.registerTool('run', { description: 'Run the script.', inputSchema }, async ({ input }) => {
    const child = spawn('/bin/sh', [script], { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.end(JSON.stringify(input));
    return { content: [{ type: 'text', text: await text(child.stdout) }] };
  });
  return server;
});
