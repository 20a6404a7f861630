// The program of the thread that verifies a log. It reports progress, sends one result, and ends.
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { SkillError } from '@ambit/core';
import type { Checkpoint, Signed } from '@ambit/core/audit';
import { toWire } from '../../sqlite/thread-error.ts';
import { auditError } from '../file/audit-error.ts';
import { readCheckpointLines } from '../sign/read-checkpoints.ts';
import { readPublicKey } from '../sign/signed.ts';
import { indexCheck } from './index-check.ts';
import type { VerifierAnswer, VerifierStart } from './verify-log.ts';
import { walkLog } from './walk-log.ts';
import { withLog } from './with-log.ts';

const { file, publicKey, checkpoints } = workerData as VerifierStart;

function send(answer: VerifierAnswer): void {
  parentPort?.postMessage(answer);
}

function readOutside(place: string): Signed<Checkpoint>[] {
  try {
    return readCheckpointLines(readFileSync(place, 'utf8'));
  } catch (cause) {
    throw new SkillError(
      'AUDIT_UNAVAILABLE',
      `cannot use the checkpoints in ${place}: ${(cause as Error).message}`,
      { cause },
    );
  }
}

try {
  const outside = checkpoints === null ? [] : readOutside(checkpoints);
  const evidence = { publicKey: publicKey === null ? undefined : readPublicKey(publicKey), outside };
  const index = indexCheck(file);
  try {
    const all = { ...evidence, index };
    send({ done: withLog(file, (database) => walkLog(database, all, (read, of) => send({ read, of }))) });
  } finally {
    index.close();
  }
} catch (error) {
  send({ failed: toWire(auditError(file, 'read', error)) });
}
