/** An invalid configuration. The message and `details.issues` list every mistake, one per line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly code = 'CONFIG_INVALID';
  readonly details: { readonly issues: readonly string[] };

  constructor(issues: readonly string[], options: { cause?: unknown } = {}) {
    super(['the configuration cannot be used:', ...issues.map((issue) => `  ${issue}`)].join('\n'), options);
    this.details = { issues };
  }
}
