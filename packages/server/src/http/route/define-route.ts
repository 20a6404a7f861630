import type { Readable } from 'node:stream';
import { decisionText } from '@ambit/core/inspect';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Scope } from '../../auth/scope.ts';
import type { ProblemCode } from '../../errors/codes.ts';
import type { Answers, BodyOf } from './answer.ts';
import { bytesOf, parseRequest } from './parse-request.ts';
import { stepUpOf } from './step-up.ts';

/** The groups of routes in the order of the reference, each with its description. */
export const groups = {
  Skills: 'List skills and learn how to call them.',
  Calls: 'Run skills. A call that ran returns 200 regardless of its result; `outcome` has the result.',
  'Installed skills':
    'Install skills of other people, decide about them, and update them. Nothing runs as a program before it is approved.',
  Workspaces: 'Files of a key that persist across calls.',
  Prompts: 'Select skills for a phase or an agent and compose a prompt.',
  'Audit log': 'Records of calls: who called what, the outcome, and its proof.',
  Configuration: 'The configuration, the keys and the policy in force. Read only.',
  Console: 'Sessions of the web console, opened with one-time codes.',
  MCP: 'The Model Context Protocol.',
  Daemon: 'Health, metrics, nodes of the cluster and the reference of the daemon.',
} as const;

type Group = keyof typeof groups;

export type RouteScope = Scope | 'any' | 'open';

/** The contract of a route: who may use it, what it accepts, what it returns. */
export interface RouteContract {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /**
   * In Fastify's syntax: `/skills/:id`. If it ends in `/*`, the rest of the path is the parameter
   * `path`.
   */
  url: string;
  /** Whether `HEAD` is supported; absent: it is not. */
  head?: true;
  /** The scope that a key needs; `any`: any valid key or session; `open` needs no key. */
  scope: RouteScope;
  /**
   * The further need of a session of the web console. Absent: nothing for `GET`, a code for exactly this request with the
   * scope `approve`, and an unlocked session for the rest.
   */
  stepUp?: 'none';
  /** A unique name for generated clients: `getSkill`. */
  id: string;
  group: Group;
  /** A few words for lists. */
  summary: string;
  /** Sentences in Markdown. */
  description: string;
  /** Path parameters; required if the path has any. */
  params?: z.ZodType;
  /** Absent: a query is refused; `anything`: any query is ignored. */
  query?: z.ZodType | 'anything';
  /** An object of the headers that the route reads, by lower-case name. Others are ignored. */
  headers?: z.ZodObject;
  /** The JSON body. A request without a body is parsed as `{}`. Absent: a body is not read. */
  body?: z.ZodType;
  /** An example body that matches the schema. */
  bodyExample?: unknown;
  /** Instead of `body`, for a body of bytes (`application/octet-stream`): its description. */
  bytes?: string;
  answers: Answers;
  /**
   * The codes that the route itself refuses with. `problemsOf` adds the codes of admission and parsing.
   */
  problems: readonly ProblemCode[];
}

/** A route with its handler. */
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
  /**
   * Gets the parsed request; returns the body of the response, or the reply if it sent one itself.
   */
  handle(
    given: {
      params: z.output<Params>;
      query: Query extends z.ZodType ? z.output<Query> : undefined;
      headers: z.output<Headers>;
      body: z.output<Body>;
      /** As they arrive; `undefined` for a route without them. */
      bytes: Bytes extends string ? Readable : undefined;
    },
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<BodyOf<Answered> | FastifyReply>;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route's contract. */
    contract?: RouteContract;
  }
}

/** Adds a route to `app`. Path, query, headers and body are parsed before the handler runs. */
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
    handler: (request, reply) => {
      const inputs = {
        params: params && parseRequest(params, named(request.params as object)),
        query: query === 'anything' ? undefined : parseRequest(query, request.query),
        headers: headers && parseRequest(headers, chosen(request.headers, names)),
        body: body && parseRequest(body, request.body === undefined ? {} : request.body),
        bytes: bytes === undefined ? undefined : bytesOf(request),
      };
      if (request.session !== null && stepUpOf(contract) === 'confirm') confirm(request, contract, inputs);
      return handle(inputs as Parameters<typeof handle>[0], request, reply);
    },
  });
}

/** Asks for the code of exactly this decision: its text has every parsed field. Throws `CONFIRMATION_REQUIRED`. */
function confirm(
  request: FastifyRequest,
  { url }: RouteContract,
  { params, body }: { params: unknown; body: unknown },
): void {
  if (request.confirm === null) throw new Error('a decision of a session was not admitted');
  const action = url === '/installs' ? 'add' : url.slice(url.lastIndexOf('/') + 1);
  request.confirmation = request.confirm(decisionText(action, { ...Object(params), ...Object(body) }));
}

function named({ '*': path, ...params }: { '*'?: string }): object {
  return path === undefined ? params : { ...params, path };
}

function chosen(headers: FastifyRequest['headers'], names: readonly string[]): object {
  return Object.fromEntries(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
  );
}
