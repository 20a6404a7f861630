/** The configuration cannot be used. The message holds every mistake, one line each; so does `details.issues`. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly code = 'CONFIG_INVALID';
  readonly details: { readonly issues: readonly string[] };

  constructor(issues: readonly string[], options: { cause?: unknown } = {}) {
    super(['the configuration cannot be used:', ...issues.map((issue) => `  ${issue}`)].join('\n'), options);
    this.details = { issues };
  }
}
