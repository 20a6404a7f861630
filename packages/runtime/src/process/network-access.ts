import { proxyPort } from './sandbox/launcher/launcher.ts';
import type { ProxyBounds, SandboxedCommand } from './sandbox/sandbox.ts';
import { ownFolder } from './sandbox/sandbox.ts';
import type { UnnamedFile } from './spawn/unnamed-file.ts';

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
 * find it.
 */
export function proxyAccess({
  certificates,
  connectionsMax,
  placeholders,
}: NetworkAccess): Required<Pick<SandboxedCommand, 'env' | 'contents' | 'proxy'>> {
  const proxy = `http://127.0.0.1:${proxyPort}`;
  return {
    env: {
      ...placeholders,
      // `localhost` is the sandbox itself, and the proxy would refuse it as a special address. Some
      // programs read the upper-case names, some the lower-case ones; curl uses only `http_proxy`
      // for plain HTTP.
      ...both({ HTTP_PROXY: proxy, HTTPS_PROXY: proxy, ALL_PROXY: proxy, NO_PROXY: 'localhost' }),
      // Node ignores the proxy variables without this.
      NODE_USE_ENV_PROXY: '1',
      ...Object.fromEntries(certificateVariables.map((name) => [name, certificatesPath])),
    },
    contents: { [certificatesPath]: certificates },
    proxy: { connectionsMax },
  };
}

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
