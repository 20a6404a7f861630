import { AmbitError, notAmbit } from '../failure/ambit-error.ts';
import { timerMs } from '../request/end-of.ts';
import type { FetchResponse } from '../request/fetch.ts';
import { pauseAfter, type Retries, wait } from '../request/retries.ts';
import { failureOf } from '../request/transport.ts';
import { eventsIn, type StreamEvent } from './events-in.ts';

/** A stream of events that can be resumed after any of them. */
export interface Resumable {
  /** The response from after the event with this id, or from the beginning. */
  open(after: string | undefined, signal: AbortSignal): Promise<FetchResponse>;
  /** Whether this is the last event. A stream that ends without it was interrupted. */
  isLast(event: StreamEvent): boolean;
  /** Whether repeating the first request is safe. A started stream can always be resumed. */
  isRepeatable: boolean;
}

/** The conditions under which a stream counts as interrupted, and the number of its resumptions. */
export interface ResumeOptions {
  /** The retries without an event in between. */
  retries: Retries;
  /** The maximum size of an event. */
  answerBytesMax: number;
  /** A stream that is silent for this long counts as interrupted. */
  silenceMs: number;
  /** Aborts the stream, which rejects with its reason. */
  signal: AbortSignal | undefined;
}

/**
 * The events of a stream, each once and in order, over as many connections as needed. A response
 * without a body ends it.
 */
export async function* resumableEvents(
  { open, isLast, isRepeatable }: Resumable,
  { retries, answerBytesMax, silenceMs, signal }: ResumeOptions,
): AsyncGenerator<StreamEvent> {
  let after: string | undefined;
  let hasBegun = isRepeatable;
  for (let failed = 0; ; failed += 1) {
    const silence = new AbortController();
    const ended = signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const restartTimer = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(new Silence()), timerMs(silenceMs));
    };
    let failure: unknown;
    try {
      // Also starts the timer for a stream that never sends anything.
      restartTimer();
      const { status, headers, body, url } = await open(after, ended);
      hasBegun = true;
      if (status === 204 || body === null) return;
      if (!/^text\/event-stream\b/i.test(headers.get('content-type') ?? '')) {
        await body.cancel();
        throw notAmbit(url);
      }
      restartTimer();
      try {
        for await (const event of eventsIn(body, { url, bytesMax: answerBytesMax }, restartTimer)) {
          // Time that the consumer takes is not silence of the stream.
          clearTimeout(timer);
          after = event.id ?? after;
          failed = 0;
          yield event;
          if (isLast(event)) return;
          restartTimer();
        }
      } catch (error) {
        throw failureOf(error, ended, url);
      }
      failure = new AmbitError(
        'UNREACHABLE',
        `the stream from ${url} was interrupted: check that the daemon is running`,
      );
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      failure = error instanceof Silence ? silent(error) : error;
    } finally {
      clearTimeout(timer);
    }
    const pause = hasBegun && failed < retries.max ? pauseAfter(failure, failed, retries) : undefined;
    if (pause === undefined) throw failure;
    await wait(pause, signal);
  }
}

/** Distinguishes this abort from others. */
class Silence extends Error {
  override readonly name = 'Silence';
}

function silent(cause: Silence): AmbitError {
  return new AmbitError('UNREACHABLE', 'the stream is silent: check that the daemon is running', {
    cause,
  });
}
