import { proxyPort } from './sandbox/launcher/launcher.ts';
import { ownFolder } from './sandbox/own-folder.ts';
import type { ProxyBounds, SandboxedCommand } from './sandbox/sandbox.ts';
import type { UnnamedFile } from './sandbox/unnamed-file.ts';

/** What a call whose grant has a network finds of it. */
export interface NetworkEntrance extends ProxyBounds {
  /** PEM: every authority that a program inside shall trust, those of the web among them. */
  certificates: UnnamedFile;
  /** Name of a secret → what stands for it inside. */
  placeholders: Readonly<Record<string, string>>;
}

const certificatesPath = `${ownFolder}/certificates.pem`;

/** The part of a command that is there for its network: a proxy, and what ordinary programs learn of it from. */
export function throughProxy({
  certificates,
  connectionsMax,
  placeholders,
}: NetworkEntrance): Required<Pick<SandboxedCommand, 'env' | 'contents' | 'proxy'>> {
  const proxy = `http://127.0.0.1:${proxyPort}`;
  return {
    env: {
      ...placeholders,
      // `localhost` is the sandbox itself, and the proxy would refuse it as a special address.
      // Some programs read the one, some the other, and curl takes the address for plain HTTP only from the lower case.
      ...both({ HTTP_PROXY: proxy, HTTPS_PROXY: proxy, ALL_PROXY: proxy, NO_PROXY: 'localhost' }),
      // Node reads those only when it is told to.
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
