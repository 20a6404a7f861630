import type { JSONRPCMessage } from '@modelcontextprotocol/server';

/** The error in a JSON-RPC response. */
export type ProtocolFault = Extract<JSONRPCMessage, { error: unknown }>['error'];

/** A message over stdio that was too long to be read. */
export interface LargeMessage {
  bytes: number;
  bytesMax: number;
}

/** The request with which `ambit mcp` lets a daemon refuse and record such a message; also what the record calls it. */
export const largeMessageMethod = 'ambit/messageTooLarge';
