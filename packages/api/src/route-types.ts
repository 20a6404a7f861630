import type { z } from 'zod';
import type { Answer } from './answer.ts';
import type { Contracts } from './contracts.ts';

/** A route by its method and its path: `GET /skills/:id`. */
export type Route = keyof Contracts;

/** The path parameters of a route. A string is one segment, a list is several; `never`: the path has no parameters. */
export type RequestParams<Name extends Route> = {
  [Each in Route]: Contracts[Each] extends { params: infer Params extends z.ZodType }
    ? { readonly [Param in keyof z.input<Params>]: string | readonly string[] }
    : never;
}[Name];

/** The query of a route as a client writes it: numbers and booleans may be values instead of text. */
export type RequestQuery<Name extends Route> = {
  [Each in Route]: Contracts[Each] extends { query: infer Query extends z.ZodType }
    ? Sendable<{ [Param in keyof z.input<Query>]: QueryValue<z.input<Query>[Param]> }>
    : never;
}[Name];

/** The JSON body of a route's request. Fields that are `undefined` are not sent. */
export type RequestBody<Name extends Route> = {
  [Each in Route]: Contracts[Each] extends { body: infer Body extends z.ZodType }
    ? Sendable<z.input<Body>>
    : never;
}[Name];

/** The JSON of a route's response with 200, or with 201 if it always creates something; `never` without JSON. */
export type ResponseBody<Name extends Route> = {
  [Each in Route]: JsonOf<Contracts[Each]['answers']>;
}[Name];

type JsonOf<Answers> = Answers extends { 200: Answer<infer Schema> } | { 201: Answer<infer Schema> }
  ? Schema extends z.ZodType
    ? z.output<Schema>
    : never
  : never;

/** A field that every JSON response of a route has. */
export type ResponseField<Name extends Route> = {
  [Each in Route]: RequiredKey<ResponseBody<Each>> & string;
}[Name];

type RequiredKey<Body> = keyof {
  [Each in keyof Body as object extends Pick<Body, Each> ? never : Each]: never;
};

/** Text of a query that stands for numbers or booleans, or those. */
type QueryValue<Value> = Value | (string extends Value ? number : 'true' extends Value ? boolean : never);

/** Accepts read-only lists, and `undefined` for optional fields, which JSON leaves out. */
type Sendable<Value> = Value extends readonly (infer Item)[]
  ? readonly Sendable<Item>[]
  : Value extends object
    ? {
        [Name in keyof Value]: object extends Pick<Value, Name>
          ? Sendable<Value[Name]> | undefined
          : Sendable<Value[Name]>;
      }
    : Value;
