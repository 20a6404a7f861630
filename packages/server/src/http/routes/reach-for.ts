import type { FastifyRequest } from 'fastify';
import type { Reach } from '../../auth/reach/reach.ts';

/** What the caller of a request reaches. Routes get at skills, prompts and the log through it and in no other way. */
export type ReachFor = (request: FastifyRequest) => Reach;
