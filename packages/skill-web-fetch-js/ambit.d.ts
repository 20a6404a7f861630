/** The part of the host's module that this skill uses; docs/scripts.md has all of it. */
declare module 'ambit' {
  /** A response; header names are in lower case. */
  export interface Response {
    status: number;
    ok: boolean;
    headers: Record<string, string>;
    /** Throws if the body is not UTF-8. */
    text(): string;
    json(): unknown;
  }

  export function fetch(
    url: string,
    request: { method: string; headers: Record<string, string>; body?: string },
  ): Promise<Response>;
}
