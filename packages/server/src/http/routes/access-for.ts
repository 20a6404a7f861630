import type { FastifyRequest } from 'fastify';
import type { AccessScope } from '../../auth/access/access-scope.ts';

/** What the caller of a request reaches. Routes get at skills, prompts and the log through it and in no other way. */
export type AccessFor = (request: FastifyRequest) => AccessScope;
