import type { ConnectionOptions } from 'node:tls';

/** A daemon, and the key that it is asked with. */
export interface DaemonAccess {
  url: string;
  key: string;
  /** Whom to trust to be it, over TLS; absent: whom Node does. */
  tls?: ConnectionOptions | undefined;
}

/** Looks for the daemon as it is now; `undefined` when none runs. */
export type FindDaemon = () => Promise<DaemonAccess | undefined>;

/** Why a message could not be passed on, in words for an agent and its user; `data.code` is for programs. */
export class ForwardError extends Error {
  override readonly name = 'ForwardError';
  readonly data: { code: string };

  private constructor(code: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.data = { code };
  }

  /** Nothing was begun. */
  static stopped(): ForwardError {
    return new ForwardError(
      'DAEMON_UNREACHABLE',
      'the daemon that these skills run in has stopped, and nothing was run; start it again with "ambit serve", and this goes on with it, or connect anew to run without one',
    );
  }

  /** Whatever the request was to do may have been done. */
  static brokenOff(cause?: unknown): ForwardError {
    return new ForwardError(
      'DAEMON_UNREACHABLE',
      'the daemon went away before it had answered; what became of the call is in its log ("ambit audit"): look there before you call again',
      cause,
    );
  }

  /** It could not be told where the daemon is, or with which key it is asked. */
  static unfound(cause: unknown): ForwardError {
    const { code, message } = cause as { code?: unknown; message?: unknown };
    return new ForwardError(typeof code === 'string' ? code : 'INTERNAL', String(message), cause);
  }

  static refused(status: number, { code, detail }: { code?: unknown; detail?: unknown }): ForwardError {
    return new ForwardError(
      typeof code === 'string' ? code : 'DAEMON_REFUSED',
      `the daemon refused this with ${status}: ${typeof detail === 'string' ? detail : 'its log says why'}`,
    );
  }
}
