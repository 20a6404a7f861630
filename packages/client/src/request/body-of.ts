import { AmbitError } from '../failure/ambit-error.ts';
import type { FetchResponse } from './fetch.ts';

/** The limit for a response, and its source. */
export interface Bound {
  url: string;
  bytesMax: number;
}

/** The body of a response. Throws `ANSWER_TOO_LARGE` as soon as it exceeds `bytesMax` bytes. */
export async function bytesOf(response: FetchResponse, bytesMax: number): Promise<Uint8Array> {
  const { body, headers, url } = response;
  // A body with a declared length is not longer. If it is compressed, it may be.
  const length = Number(headers.get('content-length') ?? Number.NaN);
  if (body === null || (length <= bytesMax && !headers.has('content-encoding')))
    return new Uint8Array(await response.arrayBuffer());
  const reader = body.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      bytes += part.value.length;
      if (bytes > bytesMax) throw tooLarge({ url, bytesMax });
      chunks.push(part.value);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** The same as text. */
export async function textOf(response: FetchResponse, bytesMax: number): Promise<string> {
  return new TextDecoder().decode(await bytesOf(response, bytesMax));
}

/** The error for a response above the limit. */
export function tooLarge({ url, bytesMax }: Bound): AmbitError {
  return new AmbitError(
    'ANSWER_TOO_LARGE',
    `the response of ${url} exceeds ${bytesMax} bytes: request less, or raise answerBytesMax`,
  );
}
