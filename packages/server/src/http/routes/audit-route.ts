import { type AuditPage, recordOutcomes } from '@ambit/core';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { AppDeps } from '../app-deps.ts';
import { parseRequest } from '../door/parse-request.ts';

const Count = z
  .string()
  .regex(/^[1-9][0-9]{0,14}$/, 'write a whole number from 1')
  .transform(Number);

const AuditQueryString = z.strictObject({
  skill: z.string().exactOptional(),
  outcome: z.enum(recordOutcomes).exactOptional(),
  executionId: z.string().exactOptional(),
  parentId: z.string().exactOptional(),
  limit: Count.refine((limit) => limit <= 200, 'a page has at most 200 records').default(50),
  /** The `next` of the page before. */
  before: Count.exactOptional(),
});

/** `GET /audit`: the records, newest first, a page at a time. */
export function auditRoute(app: FastifyInstance, { execute: { audit } }: AppDeps): void {
  app.get(
    '/audit',
    async (request): Promise<AuditPage> => audit.query(parseRequest(AuditQueryString, request.query)),
  );
}
