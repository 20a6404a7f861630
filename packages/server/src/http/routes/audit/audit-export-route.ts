import { Readable } from 'node:stream';
import type { CallRecord } from '@ambit/core/audit';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { AnsweredRecord } from '../../../wire/answer/audit.ts';
import { csvHeader, csvLine } from '../../../wire/record-csv.ts';
import type { AppDeps } from '../../app-deps.ts';
import { rightsOf } from '../../request-state.ts';
import { stream } from '../../route/answer.ts';
import { defineRoute } from '../../route/define-route.ts';
import { dropStalled } from '../../stream/drop-stalled.ts';
import type { AccessFor } from '../access-for.ts';
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
 * `GET /audit/export`: every record that fits, oldest first, as fast as it is read and no faster. One that breaks off
 * has no proper end, so that nobody takes it for the whole.
 */
export function auditExportRoute(
  app: FastifyInstance,
  { execute: { now }, shutdown }: AppDeps,
  reachFor: AccessFor,
): void {
  const Query = z
    .strictObject({
      ...filterParameters(now),
      format: z.enum(['ndjson', 'csv']).default('ndjson').describe('As lines of JSON, or as CSV.'),
    })
    .refine(isInOrder, notInOrder);

  defineRoute(app, {
    method: 'GET',
    url: '/audit/export',
    scope: 'audit:read',
    id: 'exportRecords',
    group: 'Audit log',
    summary: 'Every record that fits, oldest first',
    description:
      "The log as it stood when the answer began, with the same filters as `GET /audit`. An answer that breaks off, as when its key is revoked, has no proper end. In CSV a cell that begins with `=`, `+`, `-`, `@`, a tab or a line break has `'` in front.",
    query: Query,
    answers: {
      200: stream(
        'The records, as `format` has it.',
        {
          'application/x-ndjson': { description: 'A record a line.', each: AnsweredRecord },
          'text/csv': { description: 'A record a line, with a header.' },
        },
        { headers: { 'content-disposition': 'A name for the file.' } },
      ),
    },
    problems: [],
    async handle({ query: { format, ...filter } }, request, reply) {
      const { type, head, line } = formats[format];
      const records = reachFor(request).audit.export(filter)[Symbol.asyncIterator]();
      // Before the answer begins, so that a log that cannot be read is still a refusal.
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
