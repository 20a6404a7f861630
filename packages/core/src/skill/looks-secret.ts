/** Folders in which everything is secret, or is best asked for in another way. Names are compared without case. */
const folders: ReadonlySet<string> = new Set(['.git', '.ssh', '.gnupg', '.aws', '.azure', '.kube', '.ambit']);

const files: readonly RegExp[] = [
  /^\.env(\.(?!(example|sample|template|dist|defaults)$).*)?$|.\.env$|^\.envrc$/,
  /^(\.npmrc|\.netrc|_netrc|\.pypirc|\.pgpass|\.my\.cnf|\.dockercfg|\.htpasswd|\.git-credentials|\.vault-token|\.s3cfg|\.boto|application_default_credentials\.json)$/,
  /^(\.npmrc|\.netrc|\.pypirc|\.pgpass|\.git-credentials)[.~_-]/,
  /^id_[a-z0-9_-]+$/,
  /\.(pem|key|p8|p12|pfx|ppk|jks|keystore|kdbx)$/,
  /\.tfstate(\.backup)?$/,
  /^(secrets?|credentials?|service-account.*)\.(json|ya?ml|toml)$/,
];

/**
 * Whether the name of a file, relative to its project, suggests that it holds keys or passwords.
 * Skills name files for a prompt, and prompts are sent to the provider of the model.
 */
export function looksSecret(path: string): boolean {
  const parts = path.toLowerCase().split('/');
  const name = parts.at(-1) ?? '';
  return (
    parts.some((part) => folders.has(part)) ||
    /(^|\/)(\.docker\/config\.json|\.config\/gh\/hosts\.yml)$/.test(path.toLowerCase()) ||
    files.some((pattern) => pattern.test(name))
  );
}
