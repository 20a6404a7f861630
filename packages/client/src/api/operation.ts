import type { operations } from './generated.ts';

/** A route, by its name in the OpenAPI document. */
export type OperationId = keyof operations;

/** What a route takes as its body; a field that is `undefined` is not sent. */
export type BodyOf<Id extends OperationId> = operations[Id] extends {
  requestBody?: { content: { 'application/json': infer Body } };
}
  ? Sent<Body>
  : never;

/** What a route takes as its query; numbers and truth values are sent as they read. */
export type QueryOf<Id extends OperationId> = operations[Id]['parameters'] extends { query?: infer Query }
  ? Sent<{ [Name in keyof Query]: Spoken<Query[Name]> }>
  : never;

/** The JSON that a route answers with when it answers with 200, or 201 where it always makes something. */
export type AnswerOf<Id extends OperationId> =
  operations[Id]['responses'] extends Answered<200, infer Answer>
    ? Answer
    : operations[Id]['responses'] extends Answered<201, infer Made>
      ? Made
      : never;

type Answered<Status extends number, Answer> = {
  [Each in Status]: { content: { 'application/json': Answer } };
};

/** A query has only strings: which of them are numbers or truth values is in their form. */
type Spoken<Value> =
  | Value
  | (string extends Value ? number : never)
  | ('true' extends Value ? boolean : never);

/** Where nothing has to be said, `undefined` says nothing. */
type Sent<Value> = Value extends readonly (infer Item)[]
  ? readonly Sent<Item>[]
  : Value extends object
    ? {
        [Name in keyof Value]: object extends Pick<Value, Name>
          ? Sent<Value[Name]> | undefined
          : Sent<Value[Name]>;
      }
    : Value;
