// The program of the thread that sends a node's log to the database of its cluster. It only reads the log.
import { type MessagePort, parentPort } from 'node:worker_threads';
import type { Reply } from '../../sqlite/query-thread.ts';
import { toWire } from '../../sqlite/thread-error.ts';
import { passwordFrom } from '../../store/postgres/password-port.ts';
import { threadStart } from '../../threads/thread-start.ts';
import { auditError } from '../file/audit-error.ts';
import { nodeSigner } from '../tree/tree-key.ts';
import { type Shipper, shipper } from './shipper.ts';
import type { ShipperMessage, ShipperQuestion, ShipperStart } from './shipping.ts';

const { file, owner, nodeKey, postgres, port } = await threadStart<ShipperStart & { port?: MessagePort }>();
let opened: Shipper | undefined;

parentPort?.on('message', (message: ShipperMessage) => {
  // Ends the thread only. Connections that wait for a server would delay it.
  if (message === 'close') process.exit();
  for (const question of message) void answer(question);
});

async function answer({ id, ask, with: question }: ShipperQuestion): Promise<void> {
  try {
    opened ??= shipper(file, owner, nodeSigner(nodeKey), {
      ...postgres,
      password: port && passwordFrom(port),
    });
    send({ id, answer: await (opened[ask] as (...question: unknown[]) => unknown)(...question) });
  } catch (error) {
    send({ id, refused: toWire(auditError(file, 'read', error)) });
  }
}

function send(message: Reply): void {
  parentPort?.postMessage(message);
}
