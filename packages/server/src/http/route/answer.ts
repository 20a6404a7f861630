import type { z } from 'zod';

/** One way in which a route answers that is no refusal. */
export interface Answer<Schema extends z.ZodType | undefined = z.ZodType | undefined> {
  /** What it means, in a sentence. */
  description: string;
  /** Of a JSON body; `undefined` for an answer that has none, or another. */
  schema: Schema;
  /** By media type: what it is, for bodies that are no JSON. */
  media: Readonly<Record<string, Media>>;
  /** An answer as it could be, which fits `schema`; absent: none is shown. */
  example?: unknown;
  /** Headers beside the usual ones, each with what it says. */
  headers?: Readonly<Record<string, string>>;
}

/** A body that is no JSON: a text, or a stream of events or lines. */
interface Media {
  description: string;
  /** Of one line, as JSON; of one server-sent event, `{ event, data }`: its name, and its data as JSON. Absent: it is neither. */
  each?: z.ZodType;
}

/** What a route answers, by status. */
export type Answers = Readonly<Record<number, Answer>>;

/** What the handler of a route with these answers hands back; `never` where all of them are streams. */
export type BodyOf<Of extends Answers> = {
  [Status in keyof Of]: Of[Status] extends Answer<infer Schema>
    ? Schema extends z.ZodType
      ? z.output<Schema>
      : never
    : never;
}[keyof Of];

/** Beside the body: what an answer may have. */
type Beside = Pick<Answer, 'example' | 'headers'>;

/** An answer in JSON. */
export function json<Schema extends z.ZodType>(
  description: string,
  schema: Schema,
  { media = {}, ...beside }: Beside & { media?: Answer['media'] } = {},
): Answer<Schema> {
  return { description, schema, media, ...beside };
}

/** An answer that is no JSON; by media type, what it is. */
export function stream(description: string, media: Answer['media'], beside: Beside = {}): Answer<undefined> {
  return { description, schema: undefined, media, ...beside };
}

/** An answer without a body. */
export function bare(description: string, beside: Beside = {}): Answer<undefined> {
  return { description, schema: undefined, media: {}, ...beside };
}
