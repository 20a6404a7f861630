import {
  type JSONRPCMessage,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { z } from 'zod';

/** The error in a JSON-RPC response. */
export type ProtocolFault = Extract<JSONRPCMessage, { error: unknown }>['error'];

/** A message over stdio that was too long to be read. */
export const LargeMessage = z.object({
  bytes: z.int().positive(),
  bytesMax: z.int().positive(),
});
export type LargeMessage = z.output<typeof LargeMessage>;

/** The request with which `ambit mcp` lets a daemon refuse and record such a message; also what the record calls it. */
export const largeMessageMethod = 'ambit/messageTooLarge';

/** Lets `server` answer `largeMessageMethod` with the refusal, which is recorded like every protocol error. */
export function answerLargeMessages({ server }: McpServer): void {
  server.setRequestHandler(largeMessageMethod, { params: LargeMessage }, (large) => {
    throw largeMessageError(large);
  });
}

const largeMessageCode = 'BODY_TOO_LARGE';

function largeMessageError({ bytes, bytesMax }: LargeMessage): ProtocolError {
  const message = `the message has ${bytes} bytes, and the limit is ${bytesMax}, set by bodyLimitBytes. Nothing ran. Send a large file in parts, or ask the user to copy it with "ambit workspace put"`;
  return new ProtocolError(ProtocolErrorCode.InvalidRequest, message, { code: largeMessageCode });
}
