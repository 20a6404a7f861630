/**
 * A value of a column. Text that comes from outside is stored as JSON, because neither database can hold every string:
 * JSON escapes lone surrogates, and U+0000, which PostgreSQL refuses.
 */
export type Value = string | number | Uint8Array | null;

/** The bytes alone: a message to a thread copies all of the memory that they are part of. */
export function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.buffer.byteLength > 2 * bytes.length ? new Uint8Array(bytes) : bytes;
}

export type Row = Readonly<Record<string, unknown>>;

/** A statement in the SQL that SQLite and PostgreSQL share. A value belongs after each part but the last. */
export interface Statement {
  parts: readonly string[];
  values: readonly Value[];
}

/** The statement of a template, which can contain others. Its values are sent as parameters, never as text. */
export function sql(parts: TemplateStringsArray, ...values: readonly (Value | Statement)[]): Statement {
  const [first = '', ...rest] = parts;
  const whole: { parts: string[]; values: Value[] } = { parts: [first], values: [] };
  for (const [at, part] of rest.entries()) {
    const value = values[at] ?? null;
    const inner = isStatement(value) ? value : { parts: ['', ''], values: [value] };
    const [start = '', ...others] = inner.parts;
    whole.parts[whole.parts.length - 1] += start;
    whole.parts.push(...others);
    whole.parts[whole.parts.length - 1] += part;
    whole.values.push(...inner.values);
  }
  return whole;
}

function isStatement(value: Value | Statement): value is Statement {
  return typeof value === 'object' && value !== null && 'parts' in value;
}

/** The statement as text, with `place(1)` for its first value. */
export function textOf({ parts }: Statement, place: (number: number) => string): string {
  return parts.reduce((text, part, number) => text + place(number) + part);
}

/**
 * A transaction as steps: it yields statements and receives their rows, so that the same steps run in the thread of SQLite
 * and over the network to PostgreSQL. It can run several times, of which one counts, so it changes nothing else.
 */
export type Transaction<Result> = Generator<Statement, Result, readonly Row[]>;

/** The rows of a statement. `Found` is what its columns are in both databases. */
export function* rowsOf<Found extends Row>(statement: Statement): Transaction<readonly Found[]> {
  return (yield statement) as readonly Found[];
}
