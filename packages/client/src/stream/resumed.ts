import { AmbitError } from '../failure/ambit-error.ts';
import { notAmbit } from '../failure/not-ambit.ts';
import { pauseAfter, type Retries, wait } from '../request/retries.ts';
import { timerMs } from '../request/timer-ms.ts';
import { failureOf } from '../request/transport.ts';
import { eventsIn, type StreamEvent } from './events-in.ts';

/** A stream of events that can be read on from any of them. */
export interface Resumable {
  /** Its answer from after the event with this id, or from its beginning. */
  open(after: string | undefined, signal: AbortSignal): Promise<Response>;
  /** Whether nothing comes after this event. A stream that ends without such a one was cut. */
  isLast(event: StreamEvent): boolean;
  /** Whether asking for it twice does no more than asking once; what has begun can always be read on. */
  isRepeatable: boolean;
}

/** How long a stream is held to be cut, and how often it is opened again. */
export interface ResumeOptions {
  /** How often one that is cut is opened again without an event in between. */
  retries: Retries;
  /** No event is read that is longer. */
  answerBytesMax: number;
  /** One that says nothing for so long is taken for cut. */
  silenceMs: number;
  /** Ends it, and is what it rejects with. */
  signal: AbortSignal | undefined;
}

/** The events of a stream, each once and in order, over as many connections as it takes. An answer without a body ends it. */
export async function* resumed(
  { open, isLast, isRepeatable }: Resumable,
  { retries, answerBytesMax, silenceMs, signal }: ResumeOptions,
): AsyncGenerator<StreamEvent> {
  let after: string | undefined;
  let hasBegun = isRepeatable;
  for (let failed = 0; ; failed += 1) {
    const silence = new AbortController();
    const ended = signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const heard = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(new Silence()), timerMs(silenceMs));
    };
    let failure: unknown;
    try {
      // Also one that does not begin to say anything.
      heard();
      const { status, headers, body, url } = await open(after, ended);
      hasBegun = true;
      if (status === 204 || body === null) return;
      if (!/^text\/event-stream\b/i.test(headers.get('content-type') ?? '')) {
        await body.cancel();
        throw notAmbit(url);
      }
      heard();
      try {
        for await (const event of eventsIn(body, { url, bytesMax: answerBytesMax }, heard)) {
          // A reader that thinks is not a stream that is silent.
          clearTimeout(timer);
          after = event.id ?? after;
          failed = 0;
          yield event;
          if (isLast(event)) return;
          heard();
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
    const pause = hasBegun && failed < retries.most ? pauseAfter(failure, failed, retries) : undefined;
    if (pause === undefined) throw failure;
    await wait(pause, signal);
  }
}

/** Only to tell one end of a signal from another. */
class Silence extends Error {
  override readonly name = 'Silence';
}

function silent(cause: Silence): AmbitError {
  return new AmbitError('UNREACHABLE', 'the stream is silent: check that the daemon is running', {
    cause,
  });
}
