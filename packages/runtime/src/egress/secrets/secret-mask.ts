import { Transform } from 'node:stream';
import { foundParts, unsettledBytes } from './found-parts.ts';
import { secretForms } from './secret-forms.ts';

/** Covers secrets' values with as many asterisks, so that lengths stay what they were. */
export interface SecretMask {
  text(text: string): string;
  /** As bytes, UTF-8 or not. */
  bytes(bytes: Uint8Array): Uint8Array;
  pieces(): MaskedPieces;
  /** The same in a pipeline. */
  stream(): Transform;
  /** The same, with whatever passes here counted as Latin-1, which is how headers come. */
  header(value: string): string;
}

/** Works across pieces, however they are cut: what they give joined is what `bytes` gives for all of them together. */
export interface MaskedPieces {
  /** What is settled by now: keeps back only what may be the beginning of a value. */
  take(piece: Uint8Array): Uint8Array;
  /** What was kept back; nothing comes after it. */
  rest(): Uint8Array;
}

/** Covers these values, in every form of them that is known; without any it changes nothing. */
export function secretMask(values: readonly string[]): SecretMask {
  const needles = values.flatMap(secretForms);
  return {
    text: (text) => (needles.length === 0 ? text : masked(Buffer.from(text), needles).toString()),
    header: (value) =>
      needles.length === 0 ? value : masked(Buffer.from(value, 'latin1'), needles).toString('latin1'),
    bytes: (bytes) => (needles.length === 0 ? bytes : masked(Buffer.from(bytes), needles)),
    pieces: () => maskedPieces(needles),
    stream: () => maskingStream(maskedPieces(needles)),
  };
}

function masked(bytes: Buffer, needles: readonly Buffer[]): Buffer {
  const shown = Buffer.from(bytes);
  cover(shown, bytes, needles);
  return shown;
}

function maskedPieces(needles: readonly Buffer[]): MaskedPieces {
  // The end of what came, as it is and as it will be shown: a value that is covered may begin another one.
  let bytes: Buffer = Buffer.alloc(0);
  let shown: Buffer = Buffer.alloc(0);
  return {
    take(piece) {
      bytes = Buffer.concat([bytes, piece]);
      shown = Buffer.concat([shown, piece]);
      cover(shown, bytes, needles);
      const settled = bytes.length - unsettledBytes(bytes, needles);
      const out = shown.subarray(0, settled);
      [bytes, shown] = [bytes.subarray(settled), shown.subarray(settled)];
      return out;
    },
    rest: () => shown,
  };
}

function maskingStream({ take, rest }: MaskedPieces): Transform {
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, take(chunk)),
    flush: (done) => done(null, rest()),
  });
}

function cover(shown: Buffer, bytes: Buffer, needles: readonly Buffer[]): void {
  for (const { start, end } of foundParts(bytes, needles)) shown.fill('*', start, end);
}
