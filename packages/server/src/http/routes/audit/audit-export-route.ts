import { Readable } from 'node:stream';
import { CallRecord } from '@ambit/core/audit';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { csvHeader, csvLine } from '../../../wire/record-csv.ts';
import { dropStalled } from '../../connections/drop-stalled.ts';
import { stream } from '../../route/answer.ts';
import type { AppDeps } from '../../route/app-deps.ts';
import { defineRoute } from '../../route/define-route.ts';
import { type AccessFor, rightsOf } from '../../route/request-state.ts';
import { filterParameters, isInOrder, notInOrder } from './audit-parameters.ts';

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
  const Query = z
    .strictObject({
      ...filterParameters(now),
      format: z.enum(['ndjson', 'csv']).default('ndjson').describe('Lines of JSON, or CSV.'),
    })
    .refine(isInOrder, notInOrder);

  defineRoute(app, {
    method: 'GET',
    url: '/audit/export',
    scope: 'audit:read',
    id: 'exportRecords',
    group: 'Audit log',
    summary: 'Export matching records',
    description:
      "Every matching record, oldest first, as of the start of the response. Takes the filters of `GET /audit`. A response that is interrupted, for example because its key was revoked, has no proper end. In CSV, a cell that begins with `=`, `+`, `-`, `@`, a tab or a line break is prefixed with `'`.",
    query: Query,
    answers: {
      200: stream(
        'The records, in the given format.',
        {
          'application/x-ndjson': { description: 'One record per line.', each: CallRecord },
          'text/csv': { description: 'One record per line, after a header.' },
        },
        { headers: { 'content-disposition': 'A file name.' } },
      ),
    },
    problems: [],
    async handle({ query: { format, ...filter } }, request, reply) {
      const { type, head, line } = formats[format];
      const records = accessFor(request).audit.export(filter)[Symbol.asyncIterator]();
      // Read before the response starts, so that an unreadable log is still a refusal.
      const first = await records.next();
      dropStalled(reply, shutdown);
      const signal = AbortSignal.any([shutdown, rightsOf(request).revoked]);
      return reply
        .type(type)
        .header('content-disposition', `attachment; filename="ambit-audit.${format}"`)
        .send(Readable.from(lines(first, records, head, line), { signal }));
    },
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
