import type { Socket } from 'node:net';
import type { EgressConnection, OriginVerdict } from '@ambit/core/internal';

/** A permitted tunnel. */
export interface Tunnel {
  host: string;
  port: number;
  tls: OriginVerdict;
  plain: OriginVerdict;
  /** The upstream connection and its line in the record, if TLS passes through unopened. */
  through: { remote: Socket; line: EgressConnection } | undefined;
}
