import { type CertificateAuthority, certificateAuthority } from '../certificate-authority.ts';

/** The certificate authority of the test servers. */
export const outside: Promise<CertificateAuthority> = certificateAuthority();
