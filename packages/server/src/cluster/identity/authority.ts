import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  type webcrypto,
} from 'node:crypto';

/** The private key of a node or an authority with its certificate, both PEM. */
export interface KeyAndCertificate {
  key: string;
  certificate: string;
}

const algorithm = { name: 'Ed25519' };
const dayMs = 24 * 60 * 60 * 1000;
/** Retiring a node ends its certificate earlier. */
const validDays = 3650;

/** A private key (Ed25519), as PKCS8 in PEM. */
export function newPrivateKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
}

/** The public half of a private key, as SPKI in PEM. */
export function publicKeyOf(privateKey: string): string {
  return createPublicKey(createPrivateKey(privateKey)).export({ type: 'spki', format: 'pem' }) as string;
}

/** An authority for the certificates of a cluster's nodes. */
export async function newAuthority(): Promise<KeyAndCertificate> {
  const x509 = await library();
  const key = newPrivateKey();
  const keys = await keyPair(key);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity(),
    serialNumber: serialNumber(),
    name: 'CN=Ambit cluster authority',
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { key, certificate: `${certificate.toString('pem')}\n` };
}

/** A certificate for the public key (SPKI in PEM) of node `id`, to listen and to connect with. */
export async function certifyNode(
  authority: KeyAndCertificate,
  id: number,
  publicKey: string,
): Promise<string> {
  const x509 = await library();
  const signing = await keyPair(authority.key);
  const subject = await publicCryptoKey(publicKey);
  const certificate = await x509.X509CertificateGenerator.create({
    ...validity(),
    serialNumber: serialNumber(),
    subject: `CN=${nodeSubject(id)}`,
    issuer: new x509.X509Certificate(authority.certificate).subject,
    publicKey: subject,
    signingKey: signing.privateKey,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([
        x509.ExtendedKeyUsage.serverAuth,
        x509.ExtendedKeyUsage.clientAuth,
      ]),
      await x509.AuthorityKeyIdentifierExtension.create(signing.publicKey),
      await x509.SubjectKeyIdentifierExtension.create(subject),
    ],
  });
  return `${certificate.toString('pem')}\n`;
}

/** The common name in a node's certificate. It identifies the node, because addresses can change. */
export function nodeSubject(id: number): string {
  return `node-${id}`;
}

/** The node that a certificate's common name belongs to. */
export function nodeOfSubject(name: unknown): number | undefined {
  const [, id] = /^node-(\d{1,4})$/.exec(String(name)) ?? [];
  return id === undefined ? undefined : Number(id);
}

/** Loaded on demand: only joining nodes need certificates. */
async function library(): Promise<typeof import('@peculiar/x509')> {
  // The library requires this for its registries.
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(crypto);
  return x509;
}

async function keyPair(privateKey: string): Promise<webcrypto.CryptoKeyPair> {
  const der = createPrivateKey(privateKey).export({ type: 'pkcs8', format: 'der' });
  return {
    privateKey: await crypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']),
    publicKey: await publicCryptoKey(publicKeyOf(privateKey)),
  };
}

async function publicCryptoKey(publicKey: string): Promise<webcrypto.CryptoKey> {
  const der = createPublicKey(publicKey).export({ type: 'spki', format: 'der' });
  return crypto.subtle.importKey('spki', der, algorithm, true, ['verify']);
}

/** From a day ago, for clocks that are behind. */
function validity(): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(Date.now() - dayMs), notAfter: new Date(Date.now() + validDays * dayMs) };
}

/** A positive number whose first byte is not zero (RFC 5280, section 4.1.2.2). */
function serialNumber(): string {
  return `4${randomBytes(16).toString('hex').slice(1)}`;
}
