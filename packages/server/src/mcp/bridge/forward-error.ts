import type { ConnectionOptions } from 'node:tls';
import { CodedError } from '@ambit/core/outcome';

/** A daemon, and the key for it. */
export interface DaemonAccess {
  url: string;
  /** Absent: the private socket tells who calls. */
  key?: string | undefined;
  /** The path of its private socket; absent: it is called at its URL. */
  socketPath?: string | undefined;
  /** The certificates to trust over TLS; absent: Node's certificate authorities. */
  tls?: ConnectionOptions | undefined;
}

/** Finds the daemon for a message, or only the one that runs; `undefined` if none runs. */
export type FindDaemon = (options?: { onlyRunning: boolean }) => Promise<DaemonAccess | undefined>;

/** Tells an agent and its user why a message could not be forwarded. */
export class ForwardError extends CodedError<string> {
  override readonly name = 'ForwardError';

  /** Whether the daemon has ended or is ending, and has run nothing. The message can go to the next one. */
  isForNextDaemon = false;

  /** Nothing was sent. */
  static stopped(): ForwardError {
    const error = new ForwardError(
      'DAEMON_UNREACHABLE',
      'the daemon that runs these skills has stopped, so nothing ran; start it with "ambit serve" and try again, or reconnect',
    );
    error.isForNextDaemon = true;
    return error;
  }

  /** The request may or may not have been executed. */
  static brokenOff(cause?: unknown): ForwardError {
    return new ForwardError(
      'DAEMON_UNREACHABLE',
      'the daemon disconnected before it answered, so the call may have run; check its record with "ambit audit" before you call again',
      { cause },
    );
  }

  /** The daemon or its key could not be determined. */
  static unfound(cause: unknown): ForwardError {
    const { code, message } = cause as { code?: unknown; message?: unknown };
    return new ForwardError(typeof code === 'string' ? code : 'INTERNAL', String(message), { cause });
  }

  static refused(status: number, { code, detail }: { code?: unknown; detail?: unknown }): ForwardError {
    const error = new ForwardError(
      typeof code === 'string' ? code : 'DAEMON_REFUSED',
      `the daemon refused the request with status ${status}: ${typeof detail === 'string' ? detail : 'its log has the reason'}`,
    );
    error.isForNextDaemon = code === 'SHUTTING_DOWN';
    return error;
  }
}
