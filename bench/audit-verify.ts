import { join } from 'node:path';
import { openAuditLog, verifyLog } from '../packages/server/src/index.ts';
import { callEvents } from './audit.ts';

const eventsMax = 1_000_000;
const waiting = 2000;

/** The speed of verifying a log of a million events from calls. */
export async function auditVerifyBench(folder: string): Promise<void> {
  const file = join(folder, 'audit.db');
  const log = await openAuditLog({ file });
  for (let written = 0; written < eventsMax; written += waiting) {
    const batch = Array.from({ length: waiting / 2 }, () => callEvents(crypto.randomUUID())).flat();
    await Promise.all(batch.map((event) => log.append(event)));
  }
  await log.close();
  console.log('Verifying a complete log\n');
  const rates = [];
  for (let round = 0; round < 3; round++) {
    const [began, used] = [performance.now(), process.cpuUsage()];
    const found = await verifyLog({ file });
    if (!found.intact) throw new Error(found.message);
    const { user, system } = process.cpuUsage(used);
    rates.push({
      wall: found.events / ((performance.now() - began) / 1000),
      processor: found.events / ((user + system) / 1e6),
    });
  }
  const [, median] = rates.toSorted((a, b) => a.wall - b.wall);
  if (median === undefined) return;
  console.log(`  ${eventsMax} events, intact  ${Math.round(median.wall)} events/s`);
  console.log(`  per second of CPU time    ${Math.round(median.processor)} events/s`);
}
