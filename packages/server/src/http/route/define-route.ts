import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Scope } from '../../auth/scope.ts';
import type { ProblemCode } from '../problem/answers.ts';
import { bytesOf } from '../request/bytes-body.ts';
import { parseRequest } from '../request/parse-request.ts';
import type { Answers, BodyOf } from './answer.ts';
import type { Group } from './groups.ts';

/** All that is known of a route beside what it does: who may use it, what it takes, what it answers. */
export interface RouteContract {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** As Fastify has it: `/skills/:id`; where it ends in `/*`, the rest of the path is the parameter `path`. */
  url: string;
  /** Whether `HEAD` is answered, as `GET` is but without a body; absent: it is not. */
  head?: true;
  /** What a key needs for it; `open` answers anybody. */
  scope: Scope | 'open';
  /** A name for programs, of this route alone: `getSkill`. */
  id: string;
  group: Group;
  /** A few words for a list. */
  summary: string;
  /** Sentences, in Markdown. */
  description: string;
  /** Of the path; has to be there when the path has some. */
  params?: z.ZodType;
  /** Absent: there is none, and one that comes is refused; `anything`: whatever comes is passed over. */
  query?: z.ZodType | 'anything';
  /** An object of those that are looked at, by their names in lower case; others are passed over. */
  headers?: z.ZodObject;
  /** In JSON; a request without a body is one with `{}`. Absent: a body is not looked at. */
  body?: z.ZodType;
  /** A body as it could be, which fits. */
  bodyExample?: unknown;
  /** Instead of `body`, for one that is taken as its bytes, `application/octet-stream`: what it is. */
  bytes?: string;
  answers: Answers;
  /** With what the route itself refuses; whon arrival refuses comes with that. */
  problems: readonly ProblemCode[];
}

/** A route, with what it does. */
export interface RouteDefinition<
  Params extends z.ZodType,
  Query extends z.ZodType | 'anything',
  Headers extends z.ZodObject,
  Body extends z.ZodType,
  Bytes extends string | undefined,
  Answered extends Answers,
> extends RouteContract {
  params?: Params;
  query?: Query;
  headers?: Headers;
  body?: Body;
  bodyExample?: z.input<Body>;
  bytes?: Bytes & string;
  answers: Answered;
  /** Gets what the request holds, parsed, and hands back the body of its answer, or the reply that it has sent itself. */
  handle(
    given: {
      params: z.output<Params>;
      query: Query extends z.ZodType ? z.output<Query> : undefined;
      headers: z.output<Headers>;
      body: z.output<Body>;
      /** None for a request without a body. */
      bytes: Bytes extends string ? Uint8Array : undefined;
    },
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<BodyOf<Answered> | FastifyReply>;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the route promises. */
    contract?: RouteContract;
  }
}

/** Adds a route to `app`. What its request holds is parsed before it is asked: path, query, headers, body. */
export function defineRoute<
  Answered extends Answers,
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType | 'anything' = 'anything',
  Headers extends z.ZodObject = z.ZodObject<Record<never, never>>,
  Body extends z.ZodType = z.ZodUndefined,
  Bytes extends string | undefined = undefined,
>(
  app: FastifyInstance,
  { handle, ...contract }: RouteDefinition<Params, Query, Headers, Body, Bytes, Answered>,
): void {
  const { method, url, head, params, query = z.strictObject({}), headers, body, bytes } = contract;
  const names = Object.keys(headers?.shape ?? {});
  app.route({
    method: head ? [method, 'HEAD'] : method,
    url,
    config: { contract },
    handler: async (request, reply) => {
      const given = {
        params: params && parseRequest(params, named(request.params as object)),
        query: query === 'anything' ? undefined : parseRequest(query, request.query),
        headers: headers && parseRequest(headers, chosen(request.headers, names)),
        body: body && parseRequest(body, request.body === undefined ? {} : request.body),
        bytes: bytes === undefined ? undefined : bytesOf(request),
      };
      return handle(given as Parameters<typeof handle>[0], request, reply);
    },
  });
}

function named({ '*': path, ...params }: { '*'?: string }): object {
  return path === undefined ? params : { ...params, path };
}

function chosen(headers: FastifyRequest['headers'], names: readonly string[]): object {
  return Object.fromEntries(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
  );
}
