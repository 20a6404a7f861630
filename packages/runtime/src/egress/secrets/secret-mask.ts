import { Transform } from 'node:stream';
import { foundParts, unsettledBytes } from './found-parts.ts';
import { secretForms } from './secret-forms.ts';

/** Covers secrets' values with as many asterisks, so that lengths stay what they were. */
export interface SecretMask {
  text(text: string): string;
  /** Works across chunks, and keeps back only what may be the beginning of a value. */
  stream(): Transform;
  /** The same, with whatever passes here counted as Latin-1, which is how headers come. */
  header(value: string): string;
}

export function secretMask(values: readonly string[]): SecretMask {
  const needles = values.flatMap(secretForms);
  return {
    text: (text) => (needles.length === 0 ? text : masked(Buffer.from(text), needles).toString()),
    header: (value) =>
      needles.length === 0 ? value : masked(Buffer.from(value, 'latin1'), needles).toString('latin1'),
    stream: () => maskingStream(needles),
  };
}

function masked(bytes: Buffer, needles: readonly Buffer[]): Buffer {
  const shown = Buffer.from(bytes);
  cover(shown, bytes, needles);
  return shown;
}

function maskingStream(needles: readonly Buffer[]): Transform {
  // The end of what came, as it is and as it will be shown: a value that is covered may begin another one.
  let bytes: Buffer = Buffer.alloc(0);
  let shown: Buffer = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes = Buffer.concat([bytes, chunk]);
      shown = Buffer.concat([shown, chunk]);
      cover(shown, bytes, needles);
      const settled = bytes.length - unsettledBytes(bytes, needles);
      const out = shown.subarray(0, settled);
      [bytes, shown] = [bytes.subarray(settled), shown.subarray(settled)];
      done(null, out);
    },
    flush(done) {
      done(null, shown);
    },
  });
}

function cover(shown: Buffer, bytes: Buffer, needles: readonly Buffer[]): void {
  for (const { start, end } of foundParts(bytes, needles)) shown.fill('*', start, end);
}
