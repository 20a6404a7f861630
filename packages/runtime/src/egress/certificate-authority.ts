// The library below requires this for its registries.
import 'reflect-metadata';
import { randomBytes, type webcrypto } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { isAddress } from './call/checked-addresses.ts';

/** Issues certificates for hosts to sandboxed programs. */
export interface CertificateAuthority {
  /** As PEM. */
  readonly certificate: string;
  /** The certificate for a canonical `host`. Cached. */
  readonly certify: (host: string) => Promise<SecureContext>;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const dayMs = 24 * 60 * 60 * 1000;
const authorityDays = 3650;
const leafDays = 30;
/** The size of the cache. */
const hostsMax = 1000;

/**
 * Creates an authority whose key cannot leave this process: WebCrypto holds it as non-extractable.
 */
export async function certificateAuthority(): Promise<CertificateAuthority> {
  // Imported here, because only a daemon that opens a proxy needs it.
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(crypto);
  const keys = await crypto.subtle.generateKey(algorithm, false, ['sign', 'verify']);
  const leafKeys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const leafKey = await keyPem(leafKeys.privateKey);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...validFor(authorityDays),
    serialNumber: serialNumber(),
    name: 'CN=Ambit egress proxy',
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });

  const certificateFor = async (host: string): Promise<SecureContext> => {
    const name = host.replace(/^\[|\]$/g, '');
    const leaf = await x509.X509CertificateGenerator.create({
      ...validFor(leafDays),
      serialNumber: serialNumber(),
      // Hosts may be too long for a common name; clients compare the alternative name below.
      subject: 'CN=Ambit egress proxy leaf',
      issuer: certificate.subject,
      publicKey: leafKeys.publicKey,
      signingKey: keys.privateKey,
      signingAlgorithm: algorithm,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        new x509.SubjectAlternativeNameExtension([{ type: isAddress(host) ? 'ip' : 'dns', value: name }]),
        await x509.AuthorityKeyIdentifierExtension.create(keys.publicKey),
        await x509.SubjectKeyIdentifierExtension.create(leafKeys.publicKey),
      ],
    });
    return createSecureContext({ key: leafKey, cert: leaf.toString('pem'), minVersion: 'TLSv1.2' });
  };

  const cached = new Map<string, { context: Promise<SecureContext>; until: number }>();
  return {
    certificate: certificate.toString('pem'),
    certify(host) {
      const known = cached.get(host);
      if (known !== undefined && known.until > Date.now()) return known.context;
      const oldest = cached.keys().next();
      if (cached.size >= hostsMax && oldest.done === false) cached.delete(oldest.value);
      const context = certificateFor(host);
      cached.set(host, { context, until: Date.now() + (leafDays / 2) * dayMs });
      return context;
    },
  };
}

/** Starts a day early, for clocks that are behind. */
function validFor(days: number): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(Date.now() - dayMs), notAfter: new Date(Date.now() + days * dayMs) };
}

function serialNumber(): string {
  // A positive number (RFC 5280, section 4.1.2.2): its first bit is 0 and its first byte is not
  // zero.
  return `4${randomBytes(16).toString('hex').slice(1)}`;
}

async function keyPem(key: webcrypto.CryptoKey): Promise<string> {
  const bytes = Buffer.from(await crypto.subtle.exportKey('pkcs8', key));
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n');
}
