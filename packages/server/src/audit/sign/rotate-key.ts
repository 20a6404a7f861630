import { renameSync } from 'node:fs';
import { SkillError } from '@ambit/core';
import type { KeyRotated } from '@ambit/core/internal';
import type { Database } from 'better-sqlite3';
import { auditError } from '../audit-unavailable.ts';
import { eventRow } from '../log/event-row.ts';
import { logTable } from '../log/log-table.ts';
import { openLogFile } from '../log/open-log-file.ts';
import { type AuditKey, keyFileOf, makeAuditKey, publish } from './audit-key.ts';
import { checkpointTable } from './checkpoint-table.ts';
import { addKey, currentKeyId, finishRotation, hasHadKey, logKey, nextKeyFile } from './log-key.ts';

/** Whose signatures end and begin, by their ids. */
export interface Rotated {
  from: string;
  to: string;
}

/**
 * Has another key sign for a log from here on. The old one signs for the new one, and for the log up to the event that says so,
 * from which on the new one does; with `isLost` the old one is not asked, and only whoever trusts the new one otherwise can. For
 * a log that nobody else has open.
 *
 * Throws `AUDIT_UNAVAILABLE` when the old key is not there and was not said to be lost, or the log cannot be used.
 */
export function rotateKey({ file, isLost }: { file: string; isLost: boolean }): Rotated {
  let database: Database | undefined;
  try {
    database = openLogFile(file);
    return rotate(database, keyFileOf(file), isLost);
  } catch (error) {
    throw auditError(file, 'written', error);
  } finally {
    database?.close();
  }
}

function rotate(database: Database, keyFile: string, isLost: boolean): Rotated {
  // Where every trace of the old key is gone there is nothing to call it by.
  const from = currentKeyId(database) ?? (isLost && hasHadKey(database) ? 'unknown' : undefined);
  if (from === undefined)
    throw new SkillError(
      'AUDIT_UNAVAILABLE',
      'nothing has signed this audit log yet; the first start makes a key',
    );
  const old = isLost ? undefined : logKey(database, keyFile);
  if (isLost) requireLost(keyFile, from);
  const next = makeAuditKey(nextKeyFile(keyFile));
  change(database, old, next, from);
  renameSync(nextKeyFile(keyFile), keyFile);
  publish(keyFile, next);
  return { from, to: next.keyId };
}

/** A key that is there signs for the next one: what was not signed for could have been done by anybody. */
function requireLost(keyFile: string, current: string): void {
  let key: AuditKey | undefined;
  try {
    key = finishRotation(keyFile, current);
  } catch {
    // Not to be used: as good as lost.
    return;
  }
  if (key?.keyId === current)
    throw new SkillError(
      'AUDIT_UNAVAILABLE',
      `the key ${keyFile} is there and not lost: leave --lost out, and it signs for the new one`,
    );
}

/** The old key's last checkpoint, the event, the new key and its first checkpoint, durable together. */
function change(database: Database, old: AuditKey | undefined, next: AuditKey, from: string): void {
  const tableOf = (key: AuditKey) => logTable(database, checkpointTable(database, key), () => undefined);
  const event: KeyRotated = {
    kind: 'key.rotated',
    time: Date.now(),
    from,
    to: next.keyId,
    publicKey: next.publicKey,
    signature: old?.signText(next.publicKey) ?? null,
    acceptance: next.signText(from),
  };
  database
    .transaction(() => {
      if (old !== undefined) tableOf(old).checkpoint();
      const table = tableOf(next);
      const [place] = table.append([eventRow(event)]);
      if (place === undefined || place instanceof SkillError) throw place;
      addKey(database, next, place.sequence);
      // By the new key: whoever trusts that one alone goes back from here to the old one's.
      table.checkpoint();
    })
    .immediate();
}
