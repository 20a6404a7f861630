import type { Readable } from 'node:stream';
import { type Answers, type BodyOf, type RouteContract, stepUpOf } from '@ambit/api';
import { decisionText } from '@ambit/core/inspect';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { bytesOf, parseRequest } from './parse-request.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route's contract. */
    contract?: RouteContract;
  }
}

/** The value of a part of a request; `undefined` if the contract has no schema for it. */
type Parsed<Contract, Part extends keyof RouteContract> =
  Contract extends Record<Part, infer Schema extends z.ZodType> ? z.output<Schema> : undefined;

/** A parsed request. */
interface Given<Contract> {
  params: Parsed<Contract, 'params'>;
  query: Parsed<Contract, 'query'>;
  headers: Parsed<Contract, 'headers'>;
  body: Parsed<Contract, 'body'>;
  /** As they arrive; `undefined` for a route without them. */
  bytes: Contract extends { bytes: string } ? Readable : undefined;
}

/** Returns the body of the response, or the reply if it sent one itself. */
type Handle<Contract extends { answers: Answers }> = (
  given: Given<Contract>,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<BodyOf<Contract['answers']> | FastifyReply>;

/**
 * Adds the handler of a contract to `app`. Path, query, headers and body are parsed before it runs. `check` refuses parsed
 * values that only the running daemon can judge, before a person confirms a decision.
 */
export function route<Contract extends RouteContract>(
  app: FastifyInstance,
  contract: Contract,
  handle: Handle<Contract>,
  check?: (given: Given<Contract>) => void,
): void {
  const {
    method,
    url,
    head,
    params,
    query = z.strictObject({}),
    headers,
    body,
    bytes,
  }: RouteContract = contract;
  const names = Object.keys(headers?.shape ?? {});
  app.route({
    method: head ? [method, 'HEAD'] : method,
    url,
    config: { contract },
    handler: (request, reply) => {
      const given = {
        params: params && parseRequest(params, named(request.params as object)),
        query: query === 'anything' ? undefined : parseRequest(query, request.query),
        headers: headers && parseRequest(headers, chosen(request.headers, names)),
        body: body && parseRequest(body, request.body === undefined ? {} : request.body),
        bytes: bytes === undefined ? undefined : bytesOf(request),
      } as Given<Contract>;
      check?.(given);
      if (request.session !== null && stepUpOf(contract) === 'confirm') confirm(request, contract, given);
      return handle(given, request, reply);
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
