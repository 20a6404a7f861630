/** A response as the client reads it, so that a replacement of `fetch` needs no `Response`. */
export interface FetchResponse
  extends Pick<Response, 'ok' | 'status' | 'url' | 'body' | 'arrayBuffer' | 'json' | 'text'> {
  readonly headers: Pick<Headers, 'get' | 'has'>;
}

/** A request as the client sends it. */
export interface FetchOptions {
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array> | null;
  signal?: AbortSignal | null;
  redirect?: 'manual';
  /** Required for streams. */
  duplex?: 'half';
}

/**
 * The part of the platform's `fetch` that the client uses. It rejects with the reason of the signal, or with a `TypeError` if
 * there is no response.
 */
export type Fetch = (address: string, options?: FetchOptions) => Promise<FetchResponse>;
