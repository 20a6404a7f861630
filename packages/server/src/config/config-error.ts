import { CodedError } from '@ambit/core/outcome';

/** An invalid configuration. The message and `details.issues` list every mistake, one per line. */
export class ConfigError extends CodedError<'CONFIG_INVALID'> {
  override readonly name = 'ConfigError';
  declare readonly details: { readonly issues: readonly string[] };

  constructor(issues: readonly string[], { cause }: { cause?: unknown } = {}) {
    const message = ['the configuration cannot be used:', ...issues.map((issue) => `  ${issue}`)].join('\n');
    super('CONFIG_INVALID', message, { cause, details: { issues } });
  }
}
