import type { Duplex } from 'node:stream';
import { type Opening, readClientHello } from './client-hello.ts';

/**
 * Reads just enough to detect the protocol of a connection, and puts it back. `undefined` if the
 * connection ends first or after `timeoutMs`.
 */
export async function peekOpening(
  connection: Duplex,
  timeoutMs: number,
): Promise<Exclude<Opening, { kind: 'incomplete' }> | undefined> {
  let seen: Buffer = Buffer.alloc(0);
  const deadline = AbortSignal.timeout(timeoutMs);
  for (;;) {
    const chunk: Buffer | null = connection.read();
    if (chunk !== null) seen = Buffer.concat([seen, chunk]);
    const opening = readClientHello(seen);
    if (opening.kind !== 'incomplete') {
      connection.unshift(seen);
      return opening;
    }
    if (chunk === null && !(await readableAgain(connection, deadline))) return undefined;
  }
}

function readableAgain(connection: Duplex, deadline: AbortSignal): Promise<boolean> {
  if (connection.readableEnded || connection.destroyed || deadline.aborted) return Promise.resolve(false);
  const settled = Promise.withResolvers<boolean>();
  const yes = (): void => settled.resolve(true);
  const no = (): void => settled.resolve(false);
  connection.once('readable', yes).once('end', no).once('close', no);
  deadline.addEventListener('abort', no, { once: true });
  return settled.promise.finally(() => {
    connection.off('readable', yes).off('end', no).off('close', no);
    deadline.removeEventListener('abort', no);
  });
}
