/**
 * The effect of a call of an agent's own tool, judging by its text: runs a shell command, opens a URL, writes
 * a file that affects more than the project, installs packages, or sends data out.
 */
export type ActivityKind =
  | 'bash-command'
  | 'url-browsed'
  | 'sensitive-file-write'
  | 'package-install'
  | 'outbound-transfer';
