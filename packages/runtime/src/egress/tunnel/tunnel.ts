import type { Socket } from 'node:net';
import type { EgressConnection, OriginVerdict } from '@ambit/core/internal';

/** A tunnel that is permitted, and what it may carry. */
export interface Tunnel {
  host: string;
  port: number;
  tls: OriginVerdict;
  plain: OriginVerdict;
  /** The other end, and its line in the record, where TLS goes through unopened. */
  through: { far: Socket; line: EgressConnection } | undefined;
}
