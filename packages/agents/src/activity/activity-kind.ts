/**
 * What a call of an agent's own tool does, as far as its words tell: a command for a shell, a URL that is opened, a
 * file that is written where more than the project is at stake, packages that are installed, data that leaves.
 */
export type ActivityKind =
  | 'bash-command'
  | 'url-browsed'
  | 'sensitive-file-write'
  | 'package-install'
  | 'outbound-transfer';
