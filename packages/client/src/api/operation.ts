import type { operations } from './generated.ts';

/** A route, by its id in the OpenAPI document. */
export type OperationId = keyof operations;

/** The body of a route's request. Fields that are `undefined` are not sent. */
export type BodyOf<Id extends OperationId> = operations[Id] extends {
  requestBody?: { content: { 'application/json': infer Body } };
}
  ? Sendable<Body>
  : never;

/** The query of a route. Numbers and booleans are sent as text. */
export type QueryOf<Id extends OperationId> = operations[Id]['parameters'] extends { query?: infer Query }
  ? Sendable<{ [Name in keyof Query]: QueryValue<Query[Name]> }>
  : never;

/**
 * The JSON of a route's response with status 200, or 201 for routes that always create something.
 */
export type AnswerOf<Id extends OperationId> =
  operations[Id]['responses'] extends JsonResponses<200, infer Answer>
    ? Answer
    : operations[Id]['responses'] extends JsonResponses<201, infer Created>
      ? Created
      : never;

type JsonResponses<Status extends number, Answer> = {
  [Each in Status]: { content: { 'application/json': Answer } };
};

/** Converts query strings that contain numbers or booleans to those types. */
type QueryValue<Value> =
  | Value
  | (string extends Value ? number : never)
  | ('true' extends Value ? boolean : never);

/** Allows `undefined` for optional fields. */
type Sendable<Value> = Value extends readonly (infer Item)[]
  ? readonly Sendable<Item>[]
  : Value extends object
    ? {
        [Name in keyof Value]: object extends Pick<Value, Name>
          ? Sendable<Value[Name]> | undefined
          : Sendable<Value[Name]>;
      }
    : Value;
