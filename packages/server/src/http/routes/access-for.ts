import type { FastifyRequest } from 'fastify';
import type { AccessScope } from '../../auth/access/access-scope.ts';

/**
 * The access scope of a request's caller. Routes use it for all access to skills, prompts and the
 * log.
 */
export type AccessFor = (request: FastifyRequest) => AccessScope;
