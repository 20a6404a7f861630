import { Readable } from 'node:stream';
import type { CallRecord } from '@ambit/core';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { csvHeader, csvLine } from '../../wire/record-csv.ts';
import type { AppDeps } from '../app-deps.ts';
import { parseRequest } from '../door/parse-request.ts';
import { filterParameters, isInOrder, notInOrder } from './audit-parameters.ts';
import type { ReachFor } from './reach-for.ts';
import { whileRead } from './while-read.ts';

const formats = {
  ndjson: {
    type: 'application/x-ndjson; charset=utf-8',
    head: '',
    line: (record: CallRecord) => `${JSON.stringify(record)}\n`,
  },
  csv: { type: 'text/csv; charset=utf-8; header=present', head: csvHeader, line: csvLine },
} as const;

/**
 * `GET /audit/export`: every record that fits, oldest first, as fast as it is read and no faster. One that breaks off
 * has no proper end, so that nobody takes it for the whole.
 */
export function auditExportRoute(
  app: FastifyInstance,
  { execute: { now }, shutdown }: AppDeps,
  reachFor: ReachFor,
): void {
  const Query = z
    .strictObject({ ...filterParameters(now), format: z.enum(['ndjson', 'csv']).default('ndjson') })
    .refine(isInOrder, notInOrder);

  app.get('/audit/export', async (request, reply) => {
    const { format, ...filter } = parseRequest(Query, request.query);
    const { type, head, line } = formats[format];
    const records = reachFor(request).audit.export(filter)[Symbol.asyncIterator]();
    // Before the answer begins, so that a log that cannot be read is still a refusal.
    const first = await records.next();
    const stalled = (): void => void reply.raw.destroy();
    return reply
      .type(type)
      .header('content-disposition', `attachment; filename="ambit-audit.${format}"`)
      .send(Readable.from(whileRead(lines(first, records, head, line), stalled), { signal: shutdown }));
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
