import type { UnnamedFile } from '../spawn/unnamed-file.ts';
import { proxyPort } from './sandbox/launcher/launcher.ts';
import type { ProxyBounds, SandboxedCommand } from './sandbox/sandbox.ts';
import { ownFolder } from './sandbox/sandbox.ts';

/** The network access of one call whose grant includes a network. */
export interface NetworkAccess extends ProxyBounds {
  /** PEM: the certificate authorities that programs inside trust, including the public ones. */
  certificates: UnnamedFile;
  /** Name of a secret → its placeholder inside. */
  placeholders: Readonly<Record<string, string>>;
}

const certificatesPath = `${ownFolder}/certificates.pem`;

/**
 * The parts of a command that give it network access: a proxy, and the variables by which programs
 * find it. `programs` are the names of the programs inside.
 */
export function proxyAccess(
  { certificates, connectionsMax, placeholders }: NetworkAccess,
  programs: readonly string[] = [],
): Required<Pick<SandboxedCommand, 'env' | 'contents' | 'proxy'>> {
  const proxy = `http://127.0.0.1:${proxyPort}`;
  const env: Record<string, string> = {
    ...placeholders,
    // `localhost` is the sandbox itself, and the proxy would refuse it as a special address. Some
    // programs read the upper-case names, some the lower-case ones; curl uses only `http_proxy`
    // for plain HTTP.
    ...both({ HTTP_PROXY: proxy, HTTPS_PROXY: proxy, ALL_PROXY: proxy, NO_PROXY: 'localhost' }),
    // Node and Perl's LWP ignore the proxy variables without these.
    NODE_USE_ENV_PROXY: '1',
    PERL_LWP_ENV_PROXY: '1',
    ...Object.fromEntries(certificateVariables.map((name) => [name, certificatesPath])),
  };
  // Java prints that it read this, so other programs do not get it.
  if (programs.includes('java')) env['JAVA_TOOL_OPTIONS'] = javaOptions;
  return { env, contents: { [certificatesPath]: certificates }, proxy: { connectionsMax } };
}

/** Java reads no variables for proxies. It always connects to loopback addresses itself. */
const javaOptions = ['http', 'https']
  .flatMap((scheme) => [`-D${scheme}.proxyHost=127.0.0.1`, `-D${scheme}.proxyPort=${proxyPort}`])
  .join(' ');

/** OpenSSL and Python, curl, git, Python's requests, pip, Node. */
const certificateVariables = [
  'SSL_CERT_FILE',
  'CURL_CA_BUNDLE',
  'GIT_SSL_CAINFO',
  'REQUESTS_CA_BUNDLE',
  'PIP_CERT',
  'NODE_EXTRA_CA_CERTS',
];

function both(variables: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => [
      [name, value],
      [name.toLowerCase(), value],
    ]),
  );
}
