import type { z } from 'zod';
import type { Answers } from './answer.ts';
import type { ProblemCode } from './codes.ts';
import type { Scope } from './scope.ts';

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
   * `path`. The type is a template, so that each contract has its literal path.
   */
  url: `/${string}`;
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

/** The type of what a schema accepts; anything without one. */
type Accepted<Contract> = Contract extends { body: infer Body extends z.ZodType } ? z.input<Body> : unknown;

/** Contracts of one group by their ids. The types of handlers and clients follow theirs. */
export function defineContracts<
  Contracts extends Readonly<Record<string, Omit<RouteContract, 'id' | 'group'>>>,
>(
  group: Group,
  contracts: Contracts & { [Id in keyof Contracts]: { bodyExample?: Accepted<Contracts[Id]> } },
): { [Id in keyof Contracts]: Contracts[Id] & { id: string; group: Group } } {
  const made = Object.entries(contracts).map(([id, contract]) => [id, { id, group, ...contract }]);
  return Object.fromEntries(made);
}

/** The need of a web console's session besides its scope: an unlocked session, or a code for this one request. */
type StepUp = 'none' | 'unlock' | 'confirm';

/** The step-up of a route. A person at a terminal has the codes; an agent with a browser does not. */
export function stepUpOf({
  method,
  scope,
  stepUp,
}: Pick<RouteContract, 'method' | 'scope' | 'stepUp'>): StepUp {
  if (stepUp !== undefined || method === 'GET' || scope === 'open') return 'none';
  return scope === 'approve' ? 'confirm' : 'unlock';
}
