import type { z } from 'zod';
import type { Answer } from './answer.ts';
import type { Contracts } from './contracts.ts';

/**
 * The types of each route by its method and its path, such as `GET /skills/:id`, as a client uses it. What a route does not
 * have is `undefined`.
 * - `params`: the parameters of the path. A string is one segment, whatever it contains. `path` stands for the `*` at the end
 *   of a path, and can be a list of segments.
 * - `query`: numbers and booleans may be values instead of text.
 * - `body`: JSON. Fields that are `undefined` are not sent.
 * - `response`: the JSON of a response with 200, or with 201 of a route that always creates something.
 */
export type Routes = {
  [Name in keyof Contracts]: {
    params: Contracts[Name] extends { params: infer Params extends z.ZodType }
      ? { [Param in keyof z.input<Params>]: Param extends 'path' ? string | readonly string[] : string }
      : undefined;
    query: Contracts[Name] extends { query: infer Query extends z.ZodType }
      ? Sendable<{ [Param in keyof z.input<Query>]: QueryValue<z.input<Query>[Param]> }>
      : undefined;
    body: Contracts[Name] extends { body: infer Body extends z.ZodType }
      ? Sendable<z.input<Body>>
      : undefined;
    response: ResponseOf<Contracts[Name]['answers']>;
  };
};

type ResponseOf<Answers> = Answers extends { 200: Answer<infer Schema> } | { 201: Answer<infer Schema> }
  ? Schema extends z.ZodType
    ? z.output<Schema>
    : undefined
  : undefined;

/** A value of a query: text, or the number or boolean that the text stands for. */
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
