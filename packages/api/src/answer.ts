import { z } from 'zod';

/** A successful response of a route. */
export interface Answer<Schema extends z.ZodType | undefined = z.ZodType | undefined> {
  /** The meaning of the status, in one sentence. */
  description: string;
  /**
   * The schema of a JSON body; `undefined` for a response without a body or with another media
   * type.
   */
  schema: Schema;
  /** Bodies that are not JSON, by media type. */
  media: Readonly<Record<string, Media>>;
  /** An example that matches `schema`; absent: none is shown. */
  example?: unknown;
  /** Headers besides the common ones, each with its meaning. */
  headers?: Readonly<Record<string, string>>;
}

/** A body that is not JSON: text, or a stream of events or lines. */
interface Media {
  description: string;
  /**
   * The schema of one line, as JSON, or of one server-sent event, `{ event, data }`: its name, and
   * its data as JSON. Absent for other bodies.
   */
  each?: z.ZodType;
}

/** The responses of a route, by status. */
export type Answers = Readonly<Record<number, Answer>>;

/** The value that the handler of a route with these responses returns; `never` if all of them are streams. */
export type BodyOf<Of extends Answers> = {
  [Status in keyof Of]: Of[Status] extends Answer<infer Schema>
    ? Schema extends z.ZodType
      ? z.output<Schema>
      : never
    : never;
}[keyof Of];

/** The parts that a response may have besides its body. */
type Beside = Pick<Answer, 'example' | 'headers'>;

/** A JSON response. */
export function json<Schema extends z.ZodType>(
  description: string,
  schema: Schema,
  { media = {}, ...beside }: Beside & { media?: Answer['media'] } = {},
): Answer<Schema> {
  return { description, schema, media, ...beside };
}

/** A response that is not JSON, with its media types. */
export function stream(description: string, media: Answer['media'], beside: Beside = {}): Answer<undefined> {
  return { description, schema: undefined, media, ...beside };
}

/** A response without a body. */
export function bare(description: string, beside: Beside = {}): Answer<undefined> {
  return { description, schema: undefined, media: {}, ...beside };
}

/** Request headers of a route whose answers have a validator. */
export const EntityHeaders = z.object({
  'if-none-match': z.string().optional().describe('The `ETag` of a cached response.'),
});

/** Response headers of such a route, for 200 and 304. */
export const tagged = { headers: { etag: 'Changes when the response does.' } };

/** The answer to a client that has the response already. */
export const unchanged = bare('Not modified.', tagged);
