import { Readable } from 'node:stream';
import { auditContracts } from '@ambit/api';
import type { CallRecord } from '@ambit/core/audit';
import type { FastifyInstance } from 'fastify';
import { csvHeader, csvLine } from '../../../wire/record-csv.ts';
import { dropStalled } from '../../connections/drop-stalled.ts';
import type { AppDeps } from '../../route/app-deps.ts';
import { type AccessFor, rightsOf } from '../../route/request-state.ts';
import { route } from '../../route/route.ts';
import { withTimes } from './times-of.ts';

const formats = {
  ndjson: {
    type: 'application/x-ndjson; charset=utf-8',
    head: '',
    line: (record: CallRecord) => `${JSON.stringify(record)}\n`,
  },
  csv: { type: 'text/csv; charset=utf-8; header=present', head: csvHeader, line: csvLine },
} as const;

/**
 * `GET /audit/export`: every matching record, oldest first, at the reader's pace. An interrupted
 * response has no proper end, so that it is not taken for a complete one.
 */
export function auditExportRoute(
  app: FastifyInstance,
  { execute: { now }, shutdown }: AppDeps,
  accessFor: AccessFor,
): void {
  route(app, auditContracts.exportRecords, async ({ query: { format, ...filter } }, request, reply) => {
    const { type, head, line } = formats[format];
    const records = accessFor(request).audit.export(withTimes(filter, now))[Symbol.asyncIterator]();
    // Read before the response starts, so that an unreadable log is still a refusal.
    const first = await records.next();
    dropStalled(reply, shutdown);
    const signal = AbortSignal.any([shutdown, rightsOf(request).revoked]);
    return reply
      .type(type)
      .header('content-disposition', `attachment; filename="ambit-audit.${format}"`)
      .send(Readable.from(lines(first, records, head, line), { signal }));
  });
}

const charactersInOneGo = 65_536;

async function* lines(
  first: IteratorResult<CallRecord, unknown>,
  records: AsyncIterator<CallRecord>,
  head: string,
  line: (record: CallRecord) => string,
): AsyncGenerator<string> {
  let text = head;
  for (let next = first; next.done !== true; next = await records.next()) {
    text += line(next.value);
    if (text.length < charactersInOneGo) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}
