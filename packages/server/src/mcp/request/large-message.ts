import { type McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type LargeMessage, largeMessageMethod } from '../large-message.ts';

const params = z.object({
  bytes: z.int().positive(),
  bytesMax: z.int().positive(),
});

/** Lets `server` answer `largeMessageMethod` with the refusal, which is recorded like every protocol error. */
export function answerLargeMessages({ server }: McpServer): void {
  server.setRequestHandler(largeMessageMethod, { params }, (large) => {
    throw largeMessageError(large);
  });
}

const largeMessageCode = 'BODY_TOO_LARGE';

function largeMessageError({ bytes, bytesMax }: LargeMessage): ProtocolError {
  const message = `the message has ${bytes} bytes, and the limit is ${bytesMax}, set by bodyLimitBytes. Nothing ran. Send a large file in parts, or ask the user to copy it with "ambit workspace put"`;
  return new ProtocolError(ProtocolErrorCode.InvalidRequest, message, { code: largeMessageCode });
}
